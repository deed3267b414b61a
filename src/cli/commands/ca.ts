import type { Invocation } from "../command_spec.ts";
import { certificateFiles, loadAuthority } from "../authority.ts";
import { openHome } from "../home.ts";

/** Prints the CA certificate as PEM. */
export async function printCertificate({ context }: Invocation): Promise<void> {
  using store = await openHome(context);
  const { certificatePem } = await loadAuthority(context, store);
  context.output.print({ certificate: certificatePem }, () => context.output.data(certificatePem));
}

/** Prints the path of a file that holds the CA certificate alone. */
export async function printCertificatePath({ context }: Invocation): Promise<void> {
  using store = await openHome(context);
  const { certificate: path } = await certificateFiles(
    context,
    store,
    await loadAuthority(context, store),
  );
  context.output.print({ path }, () => context.output.line(path));
}

/** Prints the path of a file that holds the system's roots and the CA certificate. */
export async function printBundlePath({ context }: Invocation): Promise<void> {
  using store = await openHome(context);
  const { bundle: path } = await certificateFiles(
    context,
    store,
    await loadAuthority(context, store),
  );
  context.output.print({ path }, () => context.output.line(path));
}
