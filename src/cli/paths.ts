import { isAbsolute as isAbsolutePosix, resolve as resolvePosix } from "node:path/posix";
import { isAbsolute as isAbsoluteWindows, resolve as resolveWindows } from "node:path/win32";
import { BrokerError } from "../errors.ts";

/** What {@link homeDirectory} looks at. */
export interface PathInput {
  /** Environment variables; an empty value counts as absent. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `Deno.build.os`. */
  readonly os: typeof Deno.build.os;
  /** Absolute working directory, against which a relative `BROKER_HOME` is resolved. */
  readonly cwd: string;
}

/**
 * Absolute path of the directory that holds everything the program keeps: `BROKER_HOME`, else
 * `$XDG_DATA_HOME/broker` (`~/.local/share/broker`), `~/Library/Application Support/broker` on macOS,
 * `%LOCALAPPDATA%\broker` on Windows. A relative `XDG_DATA_HOME` is ignored, as the XDG Base Directory
 * Specification asks.
 *
 * @throws {BrokerError} `home_unusable` when the variables name no directory.
 */
export function homeDirectory({ env, os, cwd }: PathInput): string {
  const windows = os === "windows";
  const resolve = windows ? resolveWindows : resolvePosix;
  if (env["BROKER_HOME"]) return resolve(cwd, env["BROKER_HOME"]);
  if (windows) {
    const local = env["LOCALAPPDATA"];
    if (local && isAbsoluteWindows(local)) return resolve(local, "broker");
    if (env["USERPROFILE"]) return resolve(env["USERPROFILE"], "AppData", "Local", "broker");
    throw noHome("LOCALAPPDATA and USERPROFILE are");
  }
  const home = env["HOME"];
  if (os === "darwin") {
    if (home) return resolve(cwd, home, "Library", "Application Support", "broker");
    throw noHome("HOME is");
  }
  const data = env["XDG_DATA_HOME"];
  if (data && isAbsolutePosix(data)) return resolve(data, "broker");
  if (home) return resolve(cwd, home, ".local", "share", "broker");
  throw noHome("HOME and XDG_DATA_HOME are");
}

function noHome(missing: string): BrokerError {
  return new BrokerError("home_unusable", `Find the data directory: ${missing} not set`, {
    hint: "set BROKER_HOME to a directory of your own",
  });
}
