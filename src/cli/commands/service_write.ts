import { BrokerError } from "../../errors.ts";
import { serviceKeys } from "../../model/credential_refs.ts";
import type { Service } from "../../model/service.ts";
import type { Store } from "../../store/store.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";
import { counted } from "../counted.ts";
import { chooseVault, openHome } from "../home.ts";
import { inputName, readInput } from "../input.ts";
import type { BuildMode } from "./service_build.ts";
import { hasServiceFlags, type ServiceFlags, serviceFromFlags } from "../service_flags.ts";

/** Replaces all services of the vault by those of a YAML file. */
export async function setServices({ context, options }: Invocation): Promise<number | void> {
  const file = options["file"];
  if (typeof file !== "string") {
    if (context.prompts.interactive) return await build(context, "set");
    throw new BrokerError("usage", "No file is given, and there is no terminal to ask on", {
      hint:
        "broker vault service set -f services.yaml; one service by flags: broker vault service add",
    });
  }
  const text = await readInput(file, context.output);
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const existing = store.services.list(vault);
  const services = await parseYaml(text, file, existing);
  if (services.length === 0) {
    return await setNone(context, { store, vault, count: existing.length, options });
  }
  store.services.replaceAll(vault, services);
  context.output.print({ vault, services_count: services.length }, () => {
    context.output.note(`vault "${vault}" now has ${counted(services.length, "service")}`);
  });
  warnAboutMissingKeys(context, { store, vault, services });
}

/** Adds services, or replaces those with the same name. */
export async function addServices({ context, options }: Invocation): Promise<number | void> {
  const { file, from, set, ...rest } = options;
  if (from !== undefined || set !== undefined) return await addFromCatalog(context, options);
  const flags = rest as ServiceFlags;
  const fromFile = typeof file === "string";
  if (!fromFile && !hasServiceFlags(flags) && context.prompts.interactive) {
    return await build(context, "add");
  }
  if (fromFile === hasServiceFlags(flags)) {
    throw new BrokerError(
      "usage",
      fromFile
        ? "Both a file and flags are given"
        : "Nothing says what to add, and there is no terminal to ask on",
      {
        hint: fromFile
          ? "give one of them"
          : "broker vault service add --from ID (see: broker catalog), --name NAME --host HOST --token-key KEY, or -f services.yaml",
      },
    );
  }
  const text = fromFile ? await readInput(file, context.output) : undefined;
  const wanted = fromFile ? undefined : serviceFromFlags(flags);
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const existing = store.services.list(vault);
  const services = text === undefined
    ? await parseFlags(wanted, existing)
    : await parseYaml(text, String(file), existing);
  storeServices(context, { store, vault, services });
}

/** Asks for the services question by question. */
async function build(context: Context, mode: BuildMode): Promise<number | void> {
  const { buildServices } = await import("./service_build.ts");
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const stored = await buildServices(context, { store, vault, mode });
  if (stored === undefined) {
    context.output.note("nothing was changed");
    return 1;
  }
  const { services, keys } = stored;
  const count = store.services.list(vault).length;
  const names = mode === "add" ? { upserted: services.map(({ name }) => name) } : {};
  context.output.print({ vault, ...names, services_count: count, set: keys }, () => {
    if (keys.length > 0) context.output.note(`stored ${keys.join(", ")} in vault "${vault}"`);
    context.output.note(
      mode === "add"
        ? `stored ${services.map(({ name }) => name).join(", ")} in vault "${vault}"`
        : `vault "${vault}" now has ${counted(count, "service")}`,
    );
  });
  warnAboutMissingKeys(context, { store, vault, services });
}

/** Adds the services of an entry of the catalog; the rest is told as for any other service. */
async function addFromCatalog(
  context: Context,
  { from, set = [], ...others }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { file, ...flags } = others;
  if (typeof from !== "string" || file !== undefined || hasServiceFlags(flags as ServiceFlags)) {
    throw new BrokerError("usage", "--from and --set go together, and with nothing else", {
      hint: "broker vault service add --from ID; to see the ids: broker catalog",
    });
  }
  const values = new Map<string, string>();
  for (const text of set as readonly string[]) {
    const at = text.indexOf("=");
    if (at < 1 || values.has(text.slice(0, at))) {
      throw new BrokerError("usage", `Read --set "${text}": it is no new PARAMETER=VALUE`, {
        hint: "write each parameter once, such as --set site=example",
      });
    }
    values.set(text.slice(0, at), text.slice(at + 1));
  }
  const { fillEntry, getCatalogEntry } = await import("../../catalog/catalog.ts");
  const filled = fillEntry(getCatalogEntry(from), values);
  const { parseServices } = await import("../../model/service_schema.ts");
  const services = parseServices(filled);
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  storeServices(context, { store, vault, services });
}

async function parseYaml(
  text: string,
  file: string,
  existing: readonly Service[],
): Promise<Service[]> {
  const { parseServicesYaml } = await import("../services_yaml.ts");
  return parseServicesYaml(text, { file: inputName(file), existing });
}

async function parseFlags(service: unknown, existing: readonly Service[]): Promise<Service[]> {
  const { parseServices } = await import("../../model/service_schema.ts");
  try {
    return parseServices({ services: [service] }, { existing });
  } catch (error) {
    if (!(error instanceof BrokerError) || error.issues.length === 0) throw error;
    throw new BrokerError("validation_failed", "Check the flags: nothing was changed", {
      hint: "broker vault service add --help",
      // There is one service, and the reader never wrote a list.
      issues: error.issues.map(({ path, message }) => ({ path: path.slice(2), message })),
      cause: error,
    });
  }
}

/** A file that lists no services does what `service clear` does, so it asks as that does. */
async function setNone(
  context: Context,
  { store, vault, count, options }: {
    readonly store: Store;
    readonly vault: string;
    readonly count: number;
    readonly options: Readonly<Record<string, unknown>>;
  },
): Promise<number | void> {
  if (count > 0) {
    const agreed = options["yes"] === true || await context.prompts.confirm({
      message: `The file lists no services. Remove all ${count} of vault "${vault}"?`,
      instead: "broker vault service set --yes -f FILE",
    });
    if (!agreed) {
      context.output.note("nothing was changed");
      return 1;
    }
    store.services.clear(vault);
  }
  context.output.print({ vault, services_count: 0 }, () => {
    context.output.note(`vault "${vault}" has no services`);
  });
}

function storeServices(
  context: Context,
  { store, vault, services }: {
    readonly store: Store;
    readonly vault: string;
    readonly services: readonly Service[];
  },
): void {
  store.services.upsert(vault, services);
  const names = services.map((service) => service.name);
  const total = store.services.list(vault).length;
  context.output.print({ vault, upserted: names, services_count: total }, () => {
    context.output.note(`stored ${names.join(", ")} in vault "${vault}"`);
  });
  warnAboutMissingKeys(context, { store, vault, services });
}

function warnAboutMissingKeys(
  context: Context,
  { store, vault, services }: {
    readonly store: Store;
    readonly vault: string;
    readonly services: readonly Service[];
  },
): void {
  const missing = new Set(services.flatMap((service) => serviceKeys(service)));
  for (const key of store.credentials.keys(vault)) missing.delete(key);
  if (missing.size === 0) return;
  const keys = [...missing].join(" ");
  context.output.warn(
    `not in the vault yet: ${keys} (to store: broker vault credential set ${keys})`,
  );
}
