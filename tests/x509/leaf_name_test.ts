import assert from "node:assert/strict";
import { BrokerError } from "../../src/errors.ts";
import { parseIpAddress } from "../../src/x509/ip_address.ts";
import { parseLeafName } from "../../src/x509/leaf_name.ts";

Deno.test("parseLeafName() refuses what no certificate for one host can name", () => {
  const refused = [
    "",
    ".",
    "*",
    "*.example.com",
    "a..b",
    ".example.com",
    "example.com:443",
    "exa mple.com",
    "a/b",
    "a@b",
    "münchen.de",
    "a\0b",
    "a\r\nb",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(126)}abc`,
    "[127.0.0.1]",
    "[::1",
    "::1%eth0",
    "[]",
  ];
  for (const hostname of refused) {
    assert.throws(
      () => parseLeafName(hostname),
      (error) => error instanceof BrokerError && error.code === "validation_failed",
      JSON.stringify(hostname),
    );
  }
});

Deno.test("parseLeafName() gives DNS names in lower case without the final dot", () => {
  const cases = [
    ["example.com", "example.com"],
    ["API.Example.COM.", "api.example.com"],
    ["localhost", "localhost"],
    ["my_host.internal", "my_host.internal"],
    ["xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
    ["a--b.example", "a--b.example"],
    [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
    ["127.1", "127.1"],
    ["999.1.1.1", "999.1.1.1"],
  ] as const;
  for (const [hostname, name] of cases) {
    assert.deepEqual(parseLeafName(hostname), { kind: "dns", name }, hostname);
  }
});

Deno.test("parseIpAddress() reads every form of RFC 4291 and dotted decimal", () => {
  const cases = [
    ["127.0.0.1", "7f000001"],
    ["255.255.255.255", "ffffffff"],
    ["0.0.0.0", "00000000"],
    ["::", "00000000000000000000000000000000"],
    ["::1", "00000000000000000000000000000001"],
    ["[::1]", "00000000000000000000000000000001"],
    ["1::", "00010000000000000000000000000000"],
    ["2001:DB8:0:0:8:800:200C:417A", "20010db80000000000080800200c417a"],
    ["2001:db8::8:800:200c:417a", "20010db80000000000080800200c417a"],
    ["::ffff:192.0.2.128", "00000000000000000000ffffc0000280"],
    ["1:2:3:4:5:6:1.2.3.4", "00010002000300040005000601020304"],
    ["1:2:3:4:5:6:7::", "00010002000300040005000600070000"],
  ] as const;
  for (const [text, hex] of cases) assert.equal(parseIpAddress(text)?.toHex(), hex, text);
});

Deno.test("parseIpAddress() leaves everything else alone", () => {
  const others = [
    "",
    "example.com",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "01.2.3.4",
    "1.2.3.0x4",
    "[1.2.3.4]",
    ":",
    ":::",
    ":1",
    "1:",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "12345::",
    "g::",
    "1.2.3.4::",
    "::1.2.3",
    "fe80::1%1",
  ];
  for (const text of others) assert.equal(parseIpAddress(text), undefined, text);
});
