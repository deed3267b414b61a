/**
 * A process of its own for the tests: runs COMMAND ARG... as the CLI would, and exits with its status.
 * DRIVER_REPORT=1 prints the status; DRIVER_WITHOUT=NAME withholds a variable from the child;
 * DRIVER_FINISH=signal-self sends itself the signals that would end it once the child has ended.
 */
import { CommandError, resolveCommand } from "../../src/run/child_command.ts";
import { launch } from "../../src/run/launch.ts";

const [command = "", ...args] = Deno.args;
const env = Deno.env.toObject();
const { DRIVER_REPORT: report, DRIVER_WITHOUT: without, DRIVER_FINISH: finishing } = env;
if (without !== undefined) delete env[without];
try {
  const path = resolveCommand(command, { path: env["PATH"] });
  const status = await launch(path, args, { env, finish });
  if (report !== undefined) console.log(`driver: child gave ${status}`);
  Deno.exit(status);
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  console.error(`${error.message} (${error.hint})`);
  Deno.exit(error.exitStatus);
}

async function finish(): Promise<void> {
  if (finishing !== "signal-self") return;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) Deno.kill(Deno.pid, signal);
  await new Promise((resolve) => setTimeout(resolve, 100));
  console.log("driver: finished");
}
