/** Why the TLS handshake of a client failed, first match wins; the words are those of rustls. */
const FAULTS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    /fatal alert: (UnknownCA|CertificateUnknown|BadCertificate|UnsupportedCertificate)/,
    "the client does not trust the broker's CA, or pins the server's certificate; see: broker doctor",
  ],
  [/fatal alert: CertificateExpired/, "the client finds the certificate expired; check its clock"],
  [
    /doesn't support any known protocol|no known application protocol/,
    "the client offers no HTTP/1.1 (ALPN http/1.1)",
  ],
  [/corrupt message|InvalidContentType/, "the client does not speak TLS in this tunnel"],
  [
    /server.?name|\bSNI\b|InvalidDnsName|illegal hostname/i,
    "the client sent a server name (SNI) that is no host name",
  ],
  [
    /incompatible|ProtocolVersion|no cipher|HandshakeFailure/i,
    "the client and the broker share no TLS version or cipher suite; the broker speaks TLS 1.2 and 1.3",
  ],
];

/**
 * Tells what went wrong when a handshake or the first read of an accepted connection failed. The text is
 * for the log and names no secret.
 */
export function clientFaultOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  for (const [pattern, reason] of FAULTS) {
    if (pattern.test(message)) return reason;
  }
  if (
    error instanceof Deno.errors.UnexpectedEof || error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.BrokenPipe
  ) {
    return "the client closed the connection during the handshake, as programs do that do not trust " +
      "the broker's CA; see: broker doctor";
  }
  return message.replace(/ \(os error \d+\)/, "");
}
