/** Every answer that the broker gives itself, by the code that `X-Broker-Error` carries. */
export type RefusalCode =
  | "bad_request"
  | "forbidden"
  | "no_services"
  | "service_disabled"
  | "vault_mismatch"
  | "plaintext_refused"
  | "network_blocked"
  | "proxy_auth_required"
  | "request_too_large"
  | "headers_too_large"
  | "credential_not_found"
  | "credential_unusable"
  | "dns_failed"
  | "upstream_unreachable"
  | "upstream_tls_failed"
  | "upstream_protocol_error"
  | "upstream_timeout"
  | "loop_detected"
  | "internal_error";

/** Status of each code (interfaces: Proxy). */
export const REFUSAL_STATUS: Readonly<Record<RefusalCode, number>> = {
  bad_request: 400,
  forbidden: 403,
  no_services: 403,
  service_disabled: 403,
  vault_mismatch: 403,
  plaintext_refused: 403,
  network_blocked: 403,
  proxy_auth_required: 407,
  request_too_large: 413,
  headers_too_large: 431,
  credential_not_found: 502,
  credential_unusable: 502,
  dns_failed: 502,
  upstream_unreachable: 502,
  upstream_tls_failed: 502,
  upstream_protocol_error: 502,
  upstream_timeout: 504,
  loop_detected: 508,
  internal_error: 500,
};

/** What the client is to do about each code. */
export const REFUSAL_HELP: Readonly<Record<RefusalCode, string>> = {
  bad_request: "Send a well-formed HTTP/1.1 proxy request.",
  forbidden:
    "Ask for access with POST /v1/proposals or: broker vault proposal create --help. A person decides.",
  no_services:
    "Ask for access with POST /v1/proposals or: broker vault proposal create --help. A person decides.",
  service_disabled: "Ask the person to run: broker vault service enable NAME",
  vault_mismatch: "Use the vault that the token belongs to, or name one that it may use.",
  plaintext_refused:
    "Use https, or ask the person to run: broker vault settings set plaintext_credentials always",
  network_blocked:
    "Ask the person to add a service that names this host exactly, or to set BROKER_NETWORK_ALLOW.",
  proxy_auth_required: "Send Proxy-Authorization: Basic base64(TOKEN:VAULT), or Bearer TOKEN.",
  request_too_large: "Send a smaller body.",
  headers_too_large: "Send a smaller request head.",
  credential_not_found: "Tell the user which key is missing: broker vault credential set KEY",
  credential_unusable:
    "Tell the user which key has to be corrected: broker vault credential set KEY",
  dns_failed: "Check the host name and the network connection.",
  upstream_unreachable: "Check that the upstream is up and reachable from this machine.",
  upstream_tls_failed:
    "Check the upstream's certificate; BROKER_UPSTREAM_CA can name a PEM file of further roots.",
  upstream_protocol_error:
    "The upstream's answer cannot be relayed safely; report it to its owner.",
  upstream_timeout: "Try again later.",
  loop_detected: "Call the broker directly, not through itself.",
  internal_error: "This is a defect of the broker: set BROKER_LOG=debug and look at its output.",
};
