import { BrokerError } from "../errors.ts";

/** The system's words for a disk with no room, and for one that takes no writes. */
const NO_SPACE = ["ENOSPC", "EDQUOT"];

/**
 * Writes a file so that readers see the former or the new content and nothing between, also after a
 * crash. The directory must exist.
 * @throws BrokerError `disk_full`, or `home_unusable` when the place takes no file.
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { mode }: { readonly mode: number },
): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    // Private until it is whole, whatever the umask.
    {
      using file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      let written = 0;
      while (written < bytes.length) written += await file.write(bytes.subarray(written));
      await file.sync();
    }
    if (Deno.build.os !== "windows") await Deno.chmod(draft, mode);
    await Deno.rename(draft, path);
  } catch (cause) {
    await Deno.remove(draft).catch(() => {});
    const full = NO_SPACE.includes((cause as { code?: string }).code ?? "");
    throw full
      ? new BrokerError("disk_full", `Write "${path}": no space left`, {
        hint: "free some space and try again",
        cause,
      })
      : new BrokerError("home_unusable", `Write "${path}": the directory takes no file`, {
        hint: "make it writable, or choose another with BROKER_HOME=DIRECTORY",
        cause,
      });
  }
}
