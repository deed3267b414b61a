import { javaToolOptions } from "../../run/java_options.ts";
import { TRUST_STORE_PASSWORD, writeJavaTrustStore } from "../../tls/java_trust_store.ts";
import { certificateFiles, loadAuthority } from "../authority.ts";
import type { Invocation } from "../command_spec.ts";
import type { Context } from "../context.ts";
import { openHome } from "../home.ts";

/** Prints the shell line that leads a JVM to the broker. */
export async function printJavaOptions({ context }: Invocation): Promise<void> {
  const isChild = Boolean(context.env["BROKER_TOKEN"]);
  const options = javaToolOptions({
    trustStore: await writeJavaTrustStore(await findBundle(context, isChild)),
    password: TRUST_STORE_PASSWORD,
    proxyUrl: isChild ? context.env["HTTPS_PROXY"] : undefined,
  });
  context.output.line(`export JAVA_TOOL_OPTIONS='${options.replaceAll("'", "'\\''")}'`);
}

/** A child of `vault run` has been told where the bundle is, and may not open the data directory. */
async function findBundle(context: Context, isChild: boolean): Promise<string> {
  const bundle = context.env["SSL_CERT_FILE"];
  if (isChild && bundle) return bundle;
  using store = await openHome(context);
  const authority = await loadAuthority(context, store);
  return (await certificateFiles(context, store, authority)).bundle;
}
