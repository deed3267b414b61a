/** Why a handshake with an upstream failed. */
export type TlsFault =
  | "expired"
  | "not_yet_valid"
  | "unknown_issuer"
  | "self_signed"
  | "name_mismatch"
  | "bad_certificate"
  | "client_certificate_required"
  | "protocol_mismatch"
  | "handshake_refused"
  | "not_tls"
  | "closed"
  | "bad_hostname"
  | "timeout"
  | "other";

/** A fault and what to tell a person about it. */
export interface TlsFaultText {
  readonly fault: TlsFault;
  /** Sentence fragment: what is wrong, and where a remedy exists, the remedy. */
  readonly reason: string;
}

const ADD_ROOT = "to trust its issuer, name a PEM file of it in BROKER_UPSTREAM_CA";

/** The words of rustls and of its certificate verifier, first match wins. */
const FAULTS: readonly (readonly [pattern: RegExp, text: TlsFaultText])[] = [
  [/Expired|certificate expired/, {
    fault: "expired",
    reason: "the server's certificate has expired (or this machine's clock is wrong)",
  }],
  [/NotValidYet|not valid yet/, {
    fault: "not_yet_valid",
    reason: "the server's certificate is not valid yet (or this machine's clock is wrong)",
  }],
  [/UnknownIssuer/, {
    fault: "unknown_issuer",
    reason: `the server's certificate comes from an issuer that is not trusted; ${ADD_ROOT}`,
  }],
  [/CaUsedAsEndEntity/, {
    fault: "self_signed",
    reason: "the server presents a CA certificate as its own (self-signed); give the server a " +
      "certificate that a CA issued for its name",
  }],
  [/certificate not valid for name|NotValidForName/, {
    fault: "name_mismatch",
    reason: "the server's certificate is for other names",
  }],
  [/invalid peer certificate|InvalidCertificate/, {
    fault: "bad_certificate",
    reason: "the server's certificate cannot be accepted",
  }],
  [/CertificateRequired/, {
    fault: "client_certificate_required",
    reason: "the server asks for a client certificate, which the broker does not have",
  }],
  [/NoApplicationProtocol/, {
    fault: "protocol_mismatch",
    reason: "the server does not speak HTTP/1.1 (ALPN http/1.1 was refused)",
  }],
  [/ProtocolVersion|PeerIncompatible|peer is incompatible/i, {
    fault: "handshake_refused",
    reason: "the server and the broker share no TLS version or cipher suite; the broker speaks " +
      "TLS 1.2 and 1.3",
  }],
  [/UnrecognisedName/, {
    fault: "handshake_refused",
    reason: "the server does not know this host name (alert unrecognized_name)",
  }],
  [/fatal alert: HandshakeFailure/, {
    fault: "handshake_refused",
    reason: "the server refused the handshake (alert handshake_failure): no common cipher suite, " +
      "or it asks for a client certificate",
  }],
  [/corrupt message|InvalidContentType/, {
    fault: "not_tls",
    reason: "the server does not speak TLS on this port; if it speaks plain HTTP, use http://",
  }],
  [/Invalid hostname|InvalidDNSName|invalid dns name/i, {
    fault: "bad_hostname",
    reason: "the host name cannot be written into a TLS handshake",
  }],
];

/** Tells from an error of Deno's TLS client what went wrong. */
export function tlsFaultOf(error: unknown): TlsFaultText {
  const message = error instanceof Error ? error.message : String(error);
  for (const [pattern, text] of FAULTS) {
    if (pattern.test(message)) return withDetail(text, message);
  }
  if (
    error instanceof Deno.errors.UnexpectedEof || error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionAborted
  ) {
    return { fault: "closed", reason: "the server closed the connection during the handshake" };
  }
  return { fault: "other", reason: message.replace(/ \(os error \d+\)/, "") };
}

/** The verifier's own words where they tell more than the general text: they name no secret. */
function withDetail(text: TlsFaultText, message: string): TlsFaultText {
  const detail = message.replace(/^invalid peer certificate: /, "");
  switch (text.fault) {
    case "name_mismatch": {
      const names = /(?:only valid for|not valid for any names) ?(.*)$/.exec(detail)?.[1] ?? "";
      const listed = names.replaceAll(/(?:DnsName|IpAddress)\("?([^")]*)"?\)/g, "$1");
      if (detail.includes("any names")) {
        return { ...text, reason: "the server's certificate names no host (no subjectAltName)" };
      }
      return { ...text, reason: `the server's certificate is for other names: ${listed}` };
    }
    case "bad_certificate":
      return { ...text, reason: `${text.reason}: ${detail}` };
    default:
      return text;
  }
}
