import type { RawClient } from "../support/raw_client.ts";
import { testCertificate } from "../support/tls_fixture.ts";
import type { TestBroker } from "./fixture.ts";

/** One way to send requests for `api.test` through the proxy. */
export interface Way {
  readonly name: string;
  readonly ingress: "connect" | "forward";
  /** The upstream's TLS options for this way. */
  readonly upstream: { readonly tls?: { readonly cert: string; readonly key: string } };
  /** Opens a connection on which {@link Way.head} can be sent. */
  open(broker: TestBroker, port: number): Promise<RawClient>;
  /** A request's head, `Host` and credentials included. */
  head(broker: TestBroker, port: number, request: RequestText): string;
}

/** What a test says of a request; `GET /` of HTTP/1.1 without further fields when it says nothing. */
export interface RequestText {
  readonly method?: string;
  readonly path?: string;
  readonly fields?: readonly string[];
  readonly minorVersion?: 0 | 1;
}

/** Absolute-form to a plain upstream. */
export const absoluteForm: Way = {
  name: "in absolute-form",
  ingress: "forward",
  upstream: {},
  open: (broker) => broker.connect(),
  head: (broker, port, { method = "GET", path = "/", fields = [], minorVersion = 1 }) =>
    [
      `${method} http://api.test:${port}${path} HTTP/1.${minorVersion}`,
      "Host: elsewhere",
      `Proxy-Authorization: ${broker.authorization}`,
      ...fields,
    ].join("\r\n") + "\r\n\r\n",
};

/** Within an intercepted tunnel to an upstream with TLS. */
export const inTunnel: Way = {
  name: "in a tunnel",
  ingress: "connect",
  upstream: { tls: testCertificate("api.test") },
  open: (broker, port) => broker.tunnel(`api.test:${port}`),
  head: (_broker, _port, { method = "GET", path = "/", fields = [], minorVersion = 1 }) =>
    [`${method} ${path} HTTP/1.${minorVersion}`, "Host: elsewhere", ...fields].join("\r\n") +
    "\r\n\r\n",
};

/** Both of them. */
export const WAYS: readonly Way[] = [absoluteForm, inTunnel];
