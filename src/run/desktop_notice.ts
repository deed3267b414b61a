/** What a notification says. */
export interface Notice {
  readonly title: string;
  readonly text: string;
}

/** Where and how a notification is shown; the rest of the world is passed in for tests. */
export interface NoticeOptions {
  readonly os: typeof Deno.build.os;
  /** The environment that the notifier gets; its PATH finds the program. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A notifier that has not answered by then waits for a desktop that is not there, in milliseconds. */
const GIVE_UP_MS = 5_000;

/** Longest text that desktops show without cutting it, in characters. */
const TEXT_MAX = 200;

/** Arguments are data to this script, so that no text becomes a part of it. */
const APPLE_SCRIPT = [
  "on run argv",
  "display notification (item 2 of argv) with title (item 1 of argv)",
  "end run",
];

/** The program that shows a notice and its arguments; `undefined` where the system has none. */
export function noticeCommand(
  notice: Notice,
  os: NoticeOptions["os"],
): readonly string[] | undefined {
  const title = plain(notice.title);
  const text = plain(notice.text);
  switch (os) {
    case "darwin":
      return ["osascript", ...APPLE_SCRIPT.flatMap((line) => ["-e", line]), "--", title, text];
    case "linux":
    case "freebsd":
      // Servers read the body as markup (Desktop Notifications Specification 1.3, Markup).
      return ["notify-send", "--app-name=broker", "--", title, escapeMarkup(text)];
    default:
      return undefined;
  }
}

/**
 * Shows a desktop notification where the system has one. Never fails and never writes to the terminal: a
 * full-screen program may have it. Settles when the notifier ended or was given up.
 */
export async function showNotice(notice: Notice, options: NoticeOptions): Promise<void> {
  const command = noticeCommand(notice, options.os);
  if (command === undefined) return;
  const [program = "", ...args] = command;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), GIVE_UP_MS);
  try {
    const child = new Deno.Command(program, {
      args,
      env: { ...options.environment },
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
      signal: timeout.signal,
    }).spawn();
    // The broker may end before its notifier does.
    child.unref();
    await child.status;
  } catch {
    // No notifier on this machine: the person sees the proposal in "proposal list" all the same.
  } finally {
    clearTimeout(timer);
  }
}

function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").slice(0, TEXT_MAX);
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
