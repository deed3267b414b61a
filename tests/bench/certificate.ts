import { join } from "node:path";

/** A self-signed certificate for `localhost`, as files. */
export interface TestCertificate {
  readonly certificatePath: string;
  readonly keyPath: string;
}

/** Makes a certificate with openssl. @throws {Error} when openssl is missing or fails. */
export async function createCertificate(directory: string): Promise<TestCertificate> {
  const certificatePath = join(directory, "upstream.pem");
  const keyPath = join(directory, "upstream.key");
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      "req",
      "-x509",
      ..."-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
        .split(" "),
      "-addext",
      "basicConstraints=critical,CA:FALSE",
      "-addext",
      "subjectAltName=DNS:localhost,IP:127.0.0.1",
      "-keyout",
      keyPath,
      "-out",
      certificatePath,
    ],
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`openssl failed: ${new TextDecoder().decode(stderr)}`);
  return { certificatePath, keyPath };
}
