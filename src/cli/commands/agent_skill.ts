import { dirname, join } from "node:path";
import { BrokerError } from "../../errors.ts";
import { nearestWord } from "../../model/nearest_word.ts";
import { SKILL_DESCRIPTION, SKILL_TEXT } from "../../skill/skill.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";

/** Where a program looks for what it should know, below the home or the project directory. */
interface Place {
  readonly home: string;
  readonly project: string;
  readonly text: string;
}

/** The front matter that Claude Code, Codex and OpenCode share (the Agent Skills format). */
const AS_SKILL = `---\nname: broker\ndescription: ${JSON.stringify(SKILL_DESCRIPTION)}\n---\n\n` +
  SKILL_TEXT;

/** Cursor's rules have a front matter of their own. */
const AS_RULE =
  `---\ndescription: ${JSON.stringify(SKILL_DESCRIPTION)}\nalwaysApply: false\n---\n\n` +
  SKILL_TEXT;

const PLACES: Readonly<Record<string, Place>> = {
  claude: {
    home: ".claude/skills/broker/SKILL.md",
    project: ".claude/skills/broker/SKILL.md",
    text: AS_SKILL,
  },
  codex: {
    home: ".codex/skills/broker/SKILL.md",
    project: ".codex/skills/broker/SKILL.md",
    text: AS_SKILL,
  },
  cursor: {
    home: ".cursor/rules/broker.mdc",
    project: ".cursor/rules/broker.mdc",
    text: AS_RULE,
  },
  opencode: {
    home: ".config/opencode/skills/broker/SKILL.md",
    project: ".opencode/skills/broker/SKILL.md",
    text: AS_SKILL,
  },
};

/** Prints the skill, or writes it where programs look for it. */
export async function agentSkill({ context, options }: Invocation): Promise<number | void> {
  const given = options["install"];
  if (!Array.isArray(given)) return context.output.data(SKILL_TEXT);
  // All names first, so that a wrong one leaves nothing half done.
  const places = given.map((name) => [String(name), placeOf(String(name))] as const);
  const root = options["project"] === true ? Deno.cwd() : homeOf(context);
  let status: number | undefined;
  for (const [name, place] of places) {
    const path = join(root, options["project"] === true ? place.project : place.home);
    const done = await install(context, { name, path, text: place.text }, options["yes"] === true);
    if (!done) status = 1;
  }
  return status;
}

function placeOf(name: string): Place {
  const place = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined;
  if (place !== undefined) return place;
  const names = Object.keys(PLACES);
  const near = nearestWord(name, names);
  throw new BrokerError("usage", `--install knows no program "${name}"`, {
    hint: near === undefined ? `it knows ${names.join(", ")}` : `--install ${near}`,
  });
}

function homeOf({ env }: Context): string {
  const home = env["HOME"] || env["USERPROFILE"];
  if (home) return home;
  throw new BrokerError("home_unusable", "Find your home directory: HOME is not set", {
    hint: "set HOME, or add --project",
  });
}

async function install(
  { output, prompts }: Context,
  { name, path, text }: { name: string; path: string; text: string },
  agreed: boolean,
): Promise<boolean> {
  const before = await readIfPresent(path);
  if (before === text) {
    output.note(`${path} is up to date`);
    return true;
  }
  if (!agreed) {
    const message = before === undefined
      ? `Write ${path} for ${name}?`
      : `${path} differs from this version's. Replace it?`;
    const instead = `broker agent skill --install ${name} --yes`;
    if (!await prompts.confirm({ message, instead })) {
      output.note(`left ${path} as it is`);
      return false;
    }
  }
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, text);
  } catch (cause) {
    throw new BrokerError("unavailable", `Write "${path}"`, {
      hint: `make ${dirname(path)} writable, or print it instead: broker agent skill`,
      cause,
    });
  }
  output.note(`wrote ${path}`);
  return true;
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new BrokerError("unavailable", `Read "${path}"`, {
      hint: "look at what is there, or print the skill instead: broker agent skill",
      cause: error,
    });
  }
}
