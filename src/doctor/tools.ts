/**
 * The tools that are looked for, as data. An attempt is what a user of the tool would write and sets
 * neither proxy nor certificates: whether the environment of `vault run` is enough is the question.
 */
import { javaToolOptions } from "../run/java_options.ts";
import { TRUST_STORE_PASSWORD, writeJavaTrustStore } from "../tls/java_trust_store.ts";
import { MISSING_LIBRARY, type Tool } from "./tool.ts";

const GO_PROGRAM = (url: string) =>
  `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	answer, err := http.Get("${url}")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(answer.Status)
}
`;

/** Go reads SSL_CERT_FILE everywhere but on macOS and Windows, where it asks the system alone. */
const GO_REMEDY = Deno.build.os === "darwin"
  ? "Go on macOS trusts the keychain alone: security add-trusted-cert -r trustRoot " +
    '-k ~/Library/Keychains/login.keychain-db "$(broker ca path)" (to undo: security remove-trusted-cert)'
  : Deno.build.os === "windows"
  ? 'Go on Windows trusts the system\'s store alone: certutil -user -addstore Root "$(broker ca path)"'
  : "Go programs read HTTPS_PROXY and SSL_CERT_FILE: if one fails, look whether something takes them away";

const JVM_REMEDY =
  'eval "$(broker ca java)" before the program: it sets JAVA_TOOL_OPTIONS with the proxy and a ' +
  "PKCS#12 trust store; code on the JDK's own clients also needs an Authenticator";

async function javaEnvironment(environment: Readonly<Record<string, string>>) {
  const trustStore = await writeJavaTrustStore(environment["SSL_CERT_FILE"] ?? "");
  return {
    JAVA_TOOL_OPTIONS: javaToolOptions({
      trustStore,
      password: TRUST_STORE_PASSWORD,
      proxyUrl: environment["HTTPS_PROXY"],
    }),
  };
}

function python(module: string, request: string): Pick<Tool, "program" | "attempt"> {
  const guard =
    `import sys\ntry:\n    import ${module}\nexcept ImportError:\n    sys.exit(${MISSING_LIBRARY})\n`;
  return {
    program: "python3",
    attempt: (url) => ["-c", `${guard}url = sys.argv[1]\n${request}`, url],
  };
}

/** Every tool, in the order of the report. */
export const TOOLS: readonly Tool[] = [
  {
    name: "curl",
    program: "curl",
    attempt: (url) => ["-sS", "--fail", url],
    remedy: "look for proxy or cacert lines in ~/.curlrc",
  },
  {
    name: "wget",
    program: "wget",
    attempt: (url) => ["-nv", "--tries=1", "-O", "-", url],
    remedy:
      'give it the roots: wget --ca-certificate="$SSL_CERT_FILE", or "ca_certificate = ..." in ~/.wgetrc',
  },
  {
    name: "git",
    program: "git",
    attempt: (url) => ["-c", "credential.helper=", "ls-remote", `${url}/repository.git`],
    remedy: "look for http.proxy and http.sslCAInfo: git config --show-origin --get-regexp '^http'",
  },
  {
    name: "node fetch",
    program: "node",
    attempt: (
      url,
    ) => ["-e", `fetch(${JSON.stringify(url)}).then((a) => a.text()).then(console.log)`],
    remedy: "Node reads the proxy variables from 22.21 and 24.5 on: update it, or use undici's " +
      "EnvHttpProxyAgent in the program",
  },
  {
    name: "npm",
    program: "npm",
    attempt: (url) => ["ping", "--fetch-retries=0", "--registry", `${url}/`],
    remedy: "look for proxy, https-proxy, noproxy and cafile: npm config list",
  },
  {
    name: "python urllib",
    ...python("urllib.request", "print(urllib.request.urlopen(url).read())"),
    remedy: "look whether the program makes an SSL context of its own",
  },
  {
    name: "python requests",
    ...python("requests", "requests.get(url).raise_for_status()"),
    remedy: "look whether the program sets trust_env=False or verify",
  },
  {
    name: "python httpx",
    ...python("httpx", "httpx.get(url).raise_for_status()"),
    remedy: "look whether the program sets trust_env=False or verify",
  },
  {
    name: "python aiohttp",
    ...python(
      "aiohttp",
      `import asyncio
async def main():
    async with aiohttp.ClientSession(trust_env=True) as session:
        async with session.get(url) as answer:
            answer.raise_for_status()
asyncio.run(main())`,
    ),
    remedy: "a ClientSession reads the proxy variables with trust_env=True alone",
  },
  {
    name: "pip",
    program: "python3",
    attempt: (url, directory) => [
      ...["-m", "pip", "download", "--quiet", "--no-cache-dir", "--disable-pip-version-check"],
      ...["--no-input", "--no-deps", "--retries", "0", "--dest", directory],
      ...["--index-url", `${url}/`, "nothing"],
    ],
    remedy: "look for proxy and cert: pip config list",
  },
  {
    name: "uv",
    program: "uv",
    attempt: (url, directory) => [
      ...["pip", "install", "--no-cache", "--target", directory],
      ...["--index-url", `${url}/`, "nothing"],
    ],
    remedy: "uv reads SSL_CERT_FILE unless --native-tls or UV_NATIVE_TLS is set",
  },
  {
    name: "deno",
    program: "deno",
    attempt: (url) => ["eval", `console.log(await (await fetch(${JSON.stringify(url)})).text())`],
    remedy: "look whether DENO_TLS_CA_STORE or --cert is set",
  },
  {
    name: "bun",
    program: "bun",
    attempt: (url) => ["-e", `console.log(await (await fetch(${JSON.stringify(url)})).text())`],
    remedy: "Bun reads the proxy variables and NODE_EXTRA_CA_CERTS from 1.1 on: update it",
  },
  {
    name: "go",
    program: "go",
    file: { name: "main.go", text: GO_PROGRAM },
    attempt: (_url, directory) => ["run", `${directory}/main.go`],
    seconds: 90,
    remedy: GO_REMEDY,
  },
  {
    name: "ruby",
    program: "ruby",
    attempt: (url) => ["-rnet/http", "-e", "Net::HTTP.get(URI(ARGV[0]))", url],
    remedy: "Net::HTTP reads https_proxy and SSL_CERT_FILE: look whether the program sets its own",
  },
  {
    name: "php curl",
    program: "php",
    attempt: (url) => [
      "-r",
      `if (!function_exists("curl_init")) exit(${MISSING_LIBRARY});
       $c = curl_init($argv[1]); curl_setopt($c, CURLOPT_RETURNTRANSFER, true); curl_exec($c);
       if (curl_errno($c)) { fwrite(STDERR, curl_error($c)); exit(1); }`,
      "--",
      url,
    ],
    remedy:
      'name the roots in php.ini, or: php -d curl.cainfo="$SSL_CERT_FILE" -d openssl.cafile="$SSL_CERT_FILE"',
  },
  {
    name: "java",
    program: "java",
    file: {
      name: "Main.java",
      text: (url) =>
        `import java.net.*;
public class Main {
  public static void main(String[] args) throws Exception {
    Authenticator.setDefault(new Authenticator() {
      protected PasswordAuthentication getPasswordAuthentication() {
        return new PasswordAuthentication(System.getProperty("http.proxyUser"),
          System.getProperty("http.proxyPassword").toCharArray());
      }
    });
    var connection = new URL("${url}").openConnection();
    connection.setConnectTimeout(5000);
    connection.getInputStream().readAllBytes();
  }
}
`,
    },
    attempt: (_url, directory) => [`${directory}/Main.java`],
    extraEnvironment: javaEnvironment,
    seconds: 60,
    remedy: JVM_REMEDY,
  },
  { name: "gh", program: "gh", remedy: GO_REMEDY },
  {
    name: "cargo",
    program: "cargo",
    remedy:
      "cargo reads HTTPS_PROXY and CARGO_HTTP_CAINFO: look for [http] in ~/.cargo/config.toml",
  },
  {
    name: "aws",
    program: "aws",
    remedy:
      "its requests pass, but AWS signs each with the key itself: the broker cannot add it later; " +
      "give it short-lived credentials",
  },
  {
    name: "gcloud",
    program: "gcloud",
    remedy:
      "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE is set: look for proxy/ lines in: gcloud config list",
  },
  {
    name: "docker",
    program: "docker",
    remedy:
      "pulls are made by the daemon, outside of the broker; a container needs the proxy's address " +
      "(broker server --host), HTTPS_PROXY and the roots mounted",
  },
  { name: "kubectl", program: "kubectl", remedy: GO_REMEDY },
  { name: "terraform", program: "terraform", remedy: GO_REMEDY },
];
