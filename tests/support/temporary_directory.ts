/** A directory that is gone when the test is: `await using home = await temporaryDirectory()`. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
  /** The path of an entry inside. */
  join(...parts: string[]): string;
}

/** Makes an empty directory that only its owner may enter (0700). */
export async function temporaryDirectory(prefix = "broker-test-"): Promise<TemporaryDirectory> {
  // macOS hands out /var/..., a link to /private/var/...: comparisons of paths need the real one.
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix }));
  return {
    path,
    join: (...parts) => [path, ...parts].join(Deno.build.os === "windows" ? "\\" : "/"),
    [Symbol.asyncDispose]: async () => {
      await Deno.remove(path, { recursive: true });
    },
  };
}
