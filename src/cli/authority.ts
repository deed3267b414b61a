import { userRootFiles } from "../run/environment.ts";
import type { Store } from "../store/store.ts";
import { Authority } from "../tls/authority.ts";
import { ensureTrustFiles, type TrustFiles } from "../tls/trust_bundle.ts";
import type { Context } from "./context.ts";

/** Loads the CA of a data directory, and creates it the first time. */
export async function loadAuthority(context: Context, store: Store): Promise<Authority> {
  const { env } = context;
  return await Authority.loadOrCreate(store.authority, {
    now: Date.now,
    user: env["USER"] ?? env["USERNAME"] ?? "user",
    host: Deno.hostname(),
  });
}

/** The files in the data directory that clients of the proxy are pointed to; written when they must be. */
export async function certificateFiles(
  context: Context,
  store: Store,
  authority: Pick<Authority, "certificatePem">,
): Promise<TrustFiles> {
  return await ensureTrustFiles(store.directory, {
    certificatePem: authority.certificatePem,
    userFiles: userRootFiles(context.env),
  });
}
