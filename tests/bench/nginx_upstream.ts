import { join } from "node:path";
import type { TestCertificate } from "./certificate.ts";

/** A running nginx: the direct way that everything is compared with. */
export interface NginxUpstream {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts nginx with TLS: `/1k` answers 1 KiB, `/100m` a file of 100 MiB. Downloads come from the page
 * cache, and requests are not logged, so that nginx is as cheap an upstream as there is.
 */
export async function startNginx(
  directory: string,
  options: { port: number; certificate: TestCertificate },
): Promise<NginxUpstream> {
  const configuration = join(directory, "nginx.conf");
  const file = await Deno.open(join(directory, "100m"), { create: true, write: true });
  await file.truncate(100 * 1024 * 1024);
  file.close();
  await Deno.writeTextFile(
    configuration,
    `
worker_processes 1;
daemon off;
pid ${join(directory, "nginx.pid")};
error_log ${join(directory, "error.log")};
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 100000000;
  client_body_temp_path ${join(directory, "body")};
  proxy_temp_path ${join(directory, "proxy")};
  fastcgi_temp_path ${join(directory, "fastcgi")};
  uwsgi_temp_path ${join(directory, "uwsgi")};
  scgi_temp_path ${join(directory, "scgi")};
  server {
    listen 127.0.0.1:${options.port} ssl;
    ssl_certificate ${options.certificate.certificatePath};
    ssl_certificate_key ${options.certificate.keyPath};
    ssl_protocols TLSv1.3;
    location = /1k { default_type text/plain; return 200 "${"x".repeat(1024)}"; }
    location = /100m { root ${directory}; }
  }
}
`,
  );
  const process = new Deno.Command("nginx", {
    args: ["-c", configuration, "-e", join(directory, "error.log")],
    stdout: "null",
    stderr: "null",
  }).spawn();
  await untilListening(options.port);
  return {
    port: options.port,
    async stop() {
      process.kill("SIGTERM");
      await process.status;
    },
  };
}

/** Waits until a port of loopback accepts connections. @throws {Error} after ten seconds. */
export async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`Nothing listens on port ${port}`);
}
