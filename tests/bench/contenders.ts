import { join } from "node:path";
import { untilListening } from "./nginx_upstream.ts";
import type { TestCertificate } from "./certificate.ts";

/** A way to the upstream that is measured. */
export interface Contender extends AsyncDisposable {
  readonly name: string;
  /** Proxy URL with credentials; `undefined` for the direct way. */
  readonly proxy: string | undefined;
  /** Large bodies and WebSockets are measured too. */
  readonly bulk: boolean;
  /** Roots that verify what a client sees at the far end, PEM. */
  readonly caCerts: string[];
}

const ROOT = new URL("../../", import.meta.url).pathname;

/** The direct way. */
export async function direct(certificate: TestCertificate): Promise<Contender> {
  return {
    name: "direct",
    proxy: undefined,
    bulk: true,
    caCerts: [await Deno.readTextFile(certificate.certificatePath)],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/**
 * The broker as its user runs it: `vault run` with a program that waits, in a home of its own, with one
 * service for the upstream and as many others as told.
 */
export async function broker(
  directory: string,
  options: { services: number; certificate: TestCertificate; log?: "off" },
): Promise<Contender> {
  const env = {
    BROKER_HOME: join(directory, `home-${options.services}${options.log ?? ""}`),
    ...(options.log && { BROKER_REQUEST_LOG: options.log }),
    BROKER_UPSTREAM_CA: options.certificate.certificatePath,
  };
  const services = [{
    name: "upstream",
    host: "localhost",
    auth: { type: "bearer", token: "KEY" },
  }];
  for (let i = 1; i < options.services; i++) {
    services.push({
      name: `other-${i}`,
      host: i % 10 === 0 ? `*.wild-${i}.example.com` : `host-${i}.example.com/api/*`,
      auth: { type: "bearer", token: "KEY" },
      // The bodies of this host's requests are read whole; those of the upstream must not be.
      ...(i === 1 && { substitutions: [{ key: "KEY", placeholder: "__key__", in: ["body"] }] }),
    });
  }
  await command(["vault", "credential", "set", "KEY"], { env, input: "value-of-the-credential" });
  await command(["vault", "service", "set", "-f", "-", "--yes"], {
    env,
    input: JSON.stringify({ services }),
  });
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", join(ROOT, "main.ts"), "vault", "run", "--quiet", "--"],
      ...["sh", "-c", 'echo "$HTTPS_PROXY"; cat "$NODE_EXTRA_CA_CERTS"; echo; echo end; cat'],
    ],
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const text = await readUntil(process.stdout, "\nend\n");
  const newline = text.indexOf("\n");
  return {
    name: `broker, ${options.services} service${options.services === 1 ? "" : "s"}` +
      (options.log === undefined ? "" : ", no log"),
    proxy: text.slice(0, newline),
    bulk: options.log === undefined && (options.services === 1 || options.services === 1_000),
    caCerts: [text.slice(newline + 1, text.lastIndexOf("\nend\n"))],
    async [Symbol.asyncDispose]() {
      await process.stdin.close();
      await process.status;
    },
  };
}

/** mitmproxy, where it is installed; it neither matches nor injects anything here. */
export async function mitmproxy(directory: string): Promise<Contender | undefined> {
  const port = 14881;
  const home = join(directory, "mitmproxy");
  let process: Deno.ChildProcess;
  try {
    process = new Deno.Command("mitmdump", {
      args: [
        ...["--quiet", "--listen-host", "127.0.0.1", "--listen-port", String(port)],
        ...["--set", `confdir=${home}`, "--set", "ssl_insecure=true", "--set", "http2=false"],
        ...["--set", "stream_large_bodies=1m"],
      ],
      stdout: "null",
      stderr: "null",
    }).spawn();
  } catch {
    return undefined;
  }
  await untilListening(port);
  return {
    name: "mitmproxy",
    proxy: `http://127.0.0.1:${port}`,
    bulk: true,
    caCerts: [await Deno.readTextFile(join(home, "mitmproxy-ca-cert.pem"))],
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      await process.status;
    },
  };
}

async function command(
  args: string[],
  options: { env: Record<string, string>; input: string },
): Promise<void> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", join(ROOT, "main.ts"), ...args],
    env: options.env,
    stdin: "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(options.input));
  await writer.close();
  if (!(await process.status).success) throw new Error(`broker ${args.join(" ")} failed`);
}

async function readUntil(stream: ReadableStream<Uint8Array>, end: string): Promise<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(end)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The broker ended early: ${text}`);
    text += value;
  }
  return text;
}
