import { BrokerError } from "../errors.ts";
import { Secret } from "../model/secret.ts";
import { builtFrom, VERSION } from "../version.ts";
import type { CommandSpec } from "./command_spec.ts";
import { reportFailure } from "./failure.ts";
import { Output, standardSink } from "./output.ts";
import { homeDirectory } from "./paths.ts";
import { terminalPrompts } from "./prompt.ts";

/**
 * Does what the command line says and returns the exit status: 0 done, 1 failed, 2 wrong usage, 130
 * cancelled with Ctrl-C, or the status of the program that `vault run` started. Never throws.
 */
export async function main(args: readonly string[]): Promise<number> {
  const passphrase = takePassphrase();
  const env = Deno.env.toObject();
  const color = !env["NO_COLOR"] && env["TERM"] !== "dumb";
  const output = new Output(
    { out: standardSink(Deno.stdout), err: standardSink(Deno.stderr) },
    // Until the command line is understood, an error is told in the form that it asks for.
    { json: args.includes("--json"), color: color && !args.includes("--no-color") },
  );
  const debug = env["BROKER_LOG"] === "debug";
  reportDefects((error) => reportFailure(error, output, { debug }));
  let status = 0;
  const call = async (
    spec: CommandSpec,
    global: { vault: string | undefined; json: boolean; color: boolean },
    { positionals, options }: {
      positionals: readonly string[];
      options: Readonly<Record<string, unknown>>;
    },
  ): Promise<void> => {
    output.setMode({ json: global.json && spec.json === true, color: color && global.color });
    if (spec.agent !== true && env["BROKER_TOKEN"]) throw operatorOnly(spec.path);
    const command = await spec.load();
    const context = {
      output,
      prompts: terminalPrompts((text) => output.note(text)),
      env,
      passphrase,
      home: () => homeDirectory({ env, os: Deno.build.os, cwd: Deno.cwd() }),
      vaultOption: global.vault,
    };
    status = await command({ context, positionals, options }) ?? 0;
  };
  try {
    if (isVersionRequest(args)) {
      const commit = builtFrom();
      output.print(
        { version: VERSION, ...(commit !== undefined && { commit }) },
        () => output.line(commit === undefined ? VERSION : `${VERSION} (${commit})`),
      );
      return 0;
    }
    if (args[0] === "__complete") {
      const { answerCompletion } = await import("./completion/answer.ts");
      output.data(await answerCompletion(args.slice(1), completionOptions(env)));
      return 0;
    }
    if (args[0] === "help") {
      const { findTopic } = await import("./help_topics.ts");
      const topic = findTopic(args);
      if (topic !== undefined) {
        output.data(topic.text());
        return 0;
      }
    }
    const { createProgram, HelpShown } = await import("./program.ts");
    const { COMMANDS, GROUPS } = await import("./command_tree.ts");
    const program = createProgram({
      commands: COMMANDS,
      groups: GROUPS,
      output,
      version: VERSION,
      call,
    });
    const { expandHelp } = await import("./help_request.ts");
    const expanded = expandHelp(args, {
      groups: GROUPS.map(({ path }) => path),
      commands: COMMANDS.map(({ path }) => path),
    });
    try {
      await program.parseAsync(args.length === 0 ? ["--help"] : [...expanded], { from: "user" });
    } catch (error) {
      if (error instanceof HelpShown) return error.exitStatus;
      throw error;
    }
    return status;
  } catch (error) {
    return reportFailure(error, output, { debug });
  }
}

/**
 * What fails with nobody waiting for it is told like any other defect, without a trace, and does not
 * end the program: the child of `vault run` may be in the middle of its work.
 */
function reportDefects(report: (error: unknown) => void): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    report(event.reason);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    report(event.error);
  });
}

/** Answered without the command line parser, whose loading costs half of the time that this takes. */
function isVersionRequest(args: readonly string[]): boolean {
  return args.includes("--version") &&
    args.every((arg) => ["--version", "--json", "--no-color"].includes(arg));
}

/** Reads the passphrase and takes it out of the environment, so that no child can inherit it. */
function takePassphrase(): Secret | undefined {
  const text = Deno.env.get("BROKER_PASSPHRASE");
  if (text === undefined) return undefined;
  Deno.env.delete("BROKER_PASSPHRASE");
  return new Secret(text);
}

function completionOptions(env: Readonly<Record<string, string>>) {
  return {
    home: homeDirectory({ env, os: Deno.build.os, cwd: Deno.cwd() }),
    vault: env["BROKER_VAULT"] || undefined,
    isChild: Boolean(env["BROKER_TOKEN"]),
  };
}

function operatorOnly(path: string): BrokerError {
  return new BrokerError(
    "forbidden",
    `"broker ${path}" is for the operator and does not work inside "vault run"`,
    { hint: "type it in another terminal" },
  );
}
