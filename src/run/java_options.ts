/** What a JVM is told of the broker. */
export interface JavaOptionsInput {
  /** Path of a PKCS#12 file. */
  readonly trustStore: string;
  readonly password: string;
  /** The proxy with its credentials, when it is known. */
  readonly proxyUrl?: string | undefined;
}

/** The value of `JAVA_TOOL_OPTIONS`, which every JVM reads. */
export function javaToolOptions({ trustStore, password, proxyUrl }: JavaOptionsInput): string {
  const options: readonly (readonly [name: string, value: string])[] = [
    ["javax.net.ssl.trustStore", trustStore],
    ["javax.net.ssl.trustStoreType", "PKCS12"],
    ["javax.net.ssl.trustStorePassword", password],
    ...proxyOptions(proxyUrl),
  ];
  return options.map(([name, value]) => quoted(`-D${name}=${value}`)).join(" ");
}

function proxyOptions(text: string | undefined): (readonly [name: string, value: string])[] {
  const proxy = URL.parse(text ?? "");
  if (proxy === null) return [];
  const each = ["http", "https"].flatMap((scheme) => [
    [`${scheme}.proxyHost`, proxy.hostname] as const,
    [`${scheme}.proxyPort`, proxy.port] as const,
    [`${scheme}.proxyUser`, decodeURIComponent(proxy.username)] as const,
    [`${scheme}.proxyPassword`, decodeURIComponent(proxy.password)] as const,
  ]);
  // Without this the JDK does not send Basic credentials to a proxy for https.
  return [...each, ["jdk.http.auth.tunneling.disabledSchemes", ""]];
}

/** Blanks part the options; quotes keep one whole (JVM tool interface, JAVA_TOOL_OPTIONS). */
function quoted(option: string): string {
  return /\s/.test(option) ? `"${option}"` : option;
}
