/** How long a test waits for something before it says that it did not happen: 20 s. */
const PATIENCE_MS = 20_000;

/** Resolves once the condition holds. @throws Error naming what was awaited when it never does. */
export async function eventually(
  condition: () => boolean,
  awaited: string | (() => string),
): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > end) {
      throw new Error(`Never happened: ${typeof awaited === "string" ? awaited : awaited()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
