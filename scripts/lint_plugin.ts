/**
 * The house rules that a program can check, as a `deno lint` plugin: who may import whom, what a pure
 * folder may touch, who may end the process or print, and how files are named. The data stands in
 * `layers.ts`.
 */
import {
  CONSOLE_FILE,
  EMPTY_NAMES,
  EXIT_FILE,
  IMPURE_GLOBALS,
  type Layer,
  LAYERS,
  MAIN,
} from "./layers.ts";

const ROOT = new URL("../", import.meta.url).href;

/** Where a file stands: its path from the root, and its unit if it is part of the program. */
interface Place {
  readonly path: string;
  readonly unit: string | undefined;
  readonly layer: Layer | undefined;
}

/** Finds the place of a file; `undefined` for one outside the repository. */
function findPlace(file: string): Place | undefined {
  const slashed = file.replaceAll("\\", "/");
  const absolute = /^([a-z]:)?\//i.test(slashed);
  const href = absolute ? new URL(`file://${slashed.replace(/^(?!\/)/, "/")}`).href : undefined;
  if (href !== undefined && !href.startsWith(ROOT)) return undefined;
  return placeOf(href === undefined ? slashed : decodeURIComponent(href.slice(ROOT.length)));
}

function placeOf(path: string): Place {
  if (path === EXIT_FILE) return { path, unit: "main", layer: MAIN };
  const unit = unitOf(path);
  return { path, unit, layer: unit === undefined ? undefined : LAYERS[unit] };
}

/** `src/http1/headers.ts` is of `http1`, `src/app.ts` of `app`, `tests/...` of none. */
function unitOf(path: string): string | undefined {
  const match = /^src\/([^/]+?)(?:\.tsx?|\/.*)$/.exec(path);
  return match?.[1];
}

/** Why a place may not import a specifier; `undefined` when it may. */
function importFault(place: Place, specifier: string): string | undefined {
  const { unit, layer } = place;
  if (unit === undefined) return undefined;
  if (layer === undefined) {
    return `"${unit}" is not in the import table; give it a row in scripts/layers.ts`;
  }
  if (specifier.startsWith("node:")) {
    return layer.pure ? `"${unit}" is pure and may not import "${specifier}"` : undefined;
  }
  if (/^\.{0,2}\//.test(specifier)) return fileFault(place, specifier, unit, layer);
  if (/^[a-z]+:/i.test(specifier)) {
    return `"${specifier}" is not a name of the import map in deno.json`;
  }
  const name = specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  if (layer.packages?.includes(name)) return undefined;
  return `"${unit}" may not import the package "${name}"`;
}

function fileFault(place: Place, specifier: string, unit: string, layer: Layer) {
  const href = new URL(specifier, ROOT + place.path).href;
  const path = href.startsWith(ROOT) ? decodeURIComponent(href.slice(ROOT.length)) : undefined;
  if (path === undefined) return `"${specifier}" lies outside the repository`;
  if (layer.files?.includes(path)) return undefined;
  const target = unitOf(path);
  if (target === undefined) return `"${unit}" may not import "${path}", which is not part of src/`;
  if (target === unit || layer.imports.includes(target)) return undefined;
  const allowed = layer.imports.length === 0 ? "itself" : layer.imports.join(", ");
  return `"${unit}" may not import "${target}" (only ${allowed})`;
}

const imports: Deno.lint.Rule = {
  create(context) {
    const place = findPlace(context.filename);
    if (place?.unit === undefined) return {};
    const check = (node: Deno.lint.Node, source: Deno.lint.Node | null | undefined) => {
      if (source === null || source === undefined) return;
      const specifier = constantText(source);
      const message = specifier === undefined
        ? "An import whose name is computed cannot be checked; write the name out"
        : importFault(place, specifier);
      if (message !== undefined) context.report({ node, message });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source),
      ExportNamedDeclaration: (node) => check(node, node.source),
      ExportAllDeclaration: (node) => check(node, node.source),
      ImportExpression: (node) => check(node, node.source),
      TSImportType: (node) =>
        check(node, node.argument.type === "TSLiteralType" ? node.argument.literal : node.argument),
    };
  },
};

function constantText(node: Deno.lint.Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral" || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.cooked;
}

const pure: Deno.lint.Rule = {
  create(context) {
    const place = findPlace(context.filename);
    if (!place?.layer?.pure) return {};
    const used: Deno.lint.Identifier[] = [];
    const declared = new Set<string>();
    const report = (node: Deno.lint.Node, name: string) =>
      context.report({
        node,
        message: `"${place.unit}" is pure and may not use ${name}; take the value as an argument`,
      });
    return {
      Identifier(node) {
        if (!IMPURE_GLOBALS.includes(node.name) || isPropertyName(node)) return;
        if (isDeclaration(node)) declared.add(node.name);
        else used.push(node);
      },
      MemberExpression(node) {
        if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
        const name = `${node.object.name}.${node.property.name}`;
        if (name === "Date.now" || name === "Math.random") report(node, name);
      },
      NewExpression(node) {
        const { callee } = node;
        if (callee.type !== "Identifier" || callee.name !== "Date") return;
        if (node.arguments.length === 0) report(node, "the clock");
      },
      CallExpression(node) {
        const { callee } = node;
        if (callee.type === "Identifier" && callee.name === "Date") report(node, "the clock");
      },
      "Program:exit"() {
        for (const node of used) if (!declared.has(node.name)) report(node, node.name);
      },
    };
  },
};

/** Whether an identifier only names a member, as `fetch` in `{ fetch: 1 }` and `pool.fetch`. */
function isPropertyName(node: Deno.lint.Identifier): boolean {
  const parent = node.parent;
  switch (parent.type) {
    case "MemberExpression":
      return parent.property === node && !parent.computed;
    case "Property":
      return parent.key === node && !parent.computed && !parent.shorthand;
    case "PropertyDefinition":
    case "MethodDefinition":
    case "TSPropertySignature":
    case "TSMethodSignature":
      return parent.key === node && !parent.computed;
    case "TSQualifiedName":
      return parent.right === node;
    default:
      return false;
  }
}

/** Whether an identifier declares a name of the file's own, which hides the global. */
function isDeclaration(node: Deno.lint.Identifier): boolean {
  const parent = node.parent;
  switch (parent.type) {
    case "VariableDeclarator":
      return parent.id === node;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return parent.params.some((param) => param === node) ||
        ("id" in parent && parent.id === node);
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
      return parent.local === node;
    default:
      return false;
  }
}

/** A rule that only `allowed` may use a member of a global, or any of them. */
function memberRule(
  objects: Readonly<Record<string, string | undefined>>,
  options: { allowed: string; action: string },
): Deno.lint.Rule {
  return {
    create(context) {
      const place = findPlace(context.filename);
      if (place?.unit === undefined || place.path === options.allowed) return {};
      return {
        MemberExpression(node) {
          if (node.object.type !== "Identifier" || !Object.hasOwn(objects, node.object.name)) {
            return;
          }
          const member = objects[node.object.name];
          if (member !== undefined) {
            if (node.property.type !== "Identifier" || node.property.name !== member) return;
          }
          context.report({ node, message: `Only ${options.allowed} may ${options.action}` });
        },
      };
    },
  };
}

const fileName: Deno.lint.Rule = {
  create(context) {
    const place = findPlace(context.filename);
    if (place === undefined || !/^(src|tests|scripts)\//.test(place.path)) return {};
    return {
      Program(node) {
        for (const part of place.path.replace(/\.(?:tsx?|js)$/, "").split("/")) {
          if (!/^[a-z0-9]+(_[a-z0-9]+)*$/.test(part)) {
            context.report({ node, message: `"${part}" is not written in snake_case` });
          } else if (EMPTY_NAMES.includes(part)) {
            context.report({ node, message: `"${part}" does not say what is inside` });
          }
        }
      },
    };
  },
};

const plugin: Deno.lint.Plugin = {
  name: "broker",
  rules: {
    imports,
    pure,
    exit: memberRule({ Deno: "exit", process: "exit" }, {
      allowed: EXIT_FILE,
      action: "end the process; return an exit status or throw",
    }),
    console: memberRule({ console: undefined }, {
      allowed: CONSOLE_FILE,
      action: "print; take a Logger or the command's output",
    }),
    "file-name": fileName,
  },
};

export default plugin;
