/** A transfer of one large body in each direction, in MB/s (10^6 bytes). */
export interface TransferResult {
  readonly download: number;
  readonly upload: number;
}

/** What to transfer. */
export interface TransferOptions {
  readonly downloadUrl: string;
  readonly uploadUrl: string;
  /** A file that is sent; its size counts. */
  readonly file: string;
  /** Proxy URL with its credentials; `undefined` for the direct way. */
  readonly proxy: string | undefined;
}

/** Runs of each direction; the best one counts, because the others were disturbed. */
const RUNS = 5;

/** Measures with curl. @throws {Error} when a transfer fails. */
export async function transfer(options: TransferOptions): Promise<TransferResult> {
  const common = options.proxy === undefined ? ["--noproxy", "*"] : ["--proxy", options.proxy];
  return {
    download: await best("speed_download", [...common, options.downloadUrl]),
    upload: await best("speed_upload", [...common, "-T", options.file, options.uploadUrl]),
  };
}

async function best(figure: "speed_download" | "speed_upload", args: string[]): Promise<number> {
  let fastest = 0;
  for (let run = 0; run < RUNS; run++) {
    const { stdout, stderr, success } = await new Deno.Command("curl", {
      args: [
        "-sS",
        "--fail",
        "-k",
        "-o",
        "/dev/null",
        "-w",
        `%{${figure}}`,
        "-H",
        "Expect:",
        ...args,
      ],
      stdout: "piped",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(`curl failed: ${new TextDecoder().decode(stderr)}`);
    fastest = Math.max(fastest, Number(new TextDecoder().decode(stdout)) / 1e6);
  }
  return fastest;
}
