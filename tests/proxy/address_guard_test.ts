import assert from "node:assert/strict";
import { isIP } from "node:net";
import fc from "fast-check";
import type { BrokerError } from "../../src/errors.ts";
import {
  classifyAddress,
  createAddressGuard,
  isLocalAddress,
  parseAddress,
} from "../../src/proxy/address_guard.ts";

const OPEN = {
  allow: ["169.254.0.0/16", "100.64.0.0/10", "fc00::/7", "64:ff9b::/96"],
  allowPrivate: true,
};

const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "FD00:0EC2:0:0:0:0:0:254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "0:0:0:0:0:ffff:a9fe:a9fe",
  "::169.254.169.254",
  "::ffff:0:169.254.169.254",
  "64:ff9b::169.254.169.254",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::a9fe:a9fe",
  "64:ff9b:1:a9fe:a9:fe00::",
  "2002:a9fe:a9fe::",
  "2002:a9fe:a9fe::1",
  "64:ff9b::100.100.100.200",
];

for (const address of METADATA) {
  Deno.test(`the metadata endpoint ${address} is refused whatever the operator opened`, () => {
    assert.deepEqual(classifyAddress(address), { kind: "metadata" });
    const verdict = createAddressGuard(OPEN).check(address, { exactHost: true });
    assert.equal(verdict.allowed, false);
    assert.match(verdict.allowed ? "" : verdict.reason, /is a cloud metadata endpoint/);
  });
}

Deno.test("what is no address is refused whatever the operator opened", () => {
  const guard = createAddressGuard(OPEN);
  for (
    const text of ["", "localhost", "127.1", "0x7f000001", "fe80::1%eth0", "[::1]", "1.2.3.4:80"]
  ) {
    assert.equal(guard.check(text, { exactHost: true }).allowed, false, text);
  }
});

const GUARDED: readonly [address: string, range: string][] = [
  ["0.0.0.0", "unspecified (0.0.0.0/8)"],
  ["0.1.2.3", "unspecified (0.0.0.0/8)"],
  ["10.0.0.0", "private (10.0.0.0/8)"],
  ["10.255.255.255", "private (10.0.0.0/8)"],
  ["100.64.0.0", "carrier-grade NAT (100.64.0.0/10)"],
  ["100.127.255.255", "carrier-grade NAT (100.64.0.0/10)"],
  ["127.0.0.1", "loopback (127.0.0.0/8)"],
  ["127.255.255.255", "loopback (127.0.0.0/8)"],
  ["169.254.0.1", "link-local (169.254.0.0/16)"],
  ["172.16.0.0", "private (172.16.0.0/12)"],
  ["172.31.255.255", "private (172.16.0.0/12)"],
  ["192.0.0.1", "reserved (192.0.0.0/24)"],
  ["192.0.2.1", "documentation (192.0.2.0/24)"],
  ["192.168.255.255", "private (192.168.0.0/16)"],
  ["198.18.0.0", "benchmark (198.18.0.0/15)"],
  ["198.19.255.255", "benchmark (198.18.0.0/15)"],
  ["224.0.0.1", "multicast (224.0.0.0/4)"],
  ["239.255.255.255", "multicast (224.0.0.0/4)"],
  ["240.0.0.0", "reserved (240.0.0.0/4)"],
  ["255.255.255.255", "reserved (240.0.0.0/4)"],
  ["::", "unspecified (::/128)"],
  ["::1", "loopback (::1/128)"],
  ["fc00::", "unique-local (fc00::/7)"],
  ["fdff:ffff::1", "unique-local (fc00::/7)"],
  ["fe80::1", "link-local (fe80::/10)"],
  ["febf::1", "link-local (fe80::/10)"],
  ["fec0::1", "site-local (fec0::/10)"],
  ["ff02::1", "multicast (ff00::/8)"],
  ["2001::1", "reserved (2001::/23)"],
  ["2001:db8::1", "documentation (2001:db8::/32)"],
  ["100::1", "discard-only (100::/64)"],
  ["64:ff9b:1::808:808", "local NAT64 (64:ff9b:1::/48)"],
  ["4000::1", "reserved"],
  ["1::1", "reserved"],
  ["::2", "reserved"],
  ["::8.8.8.8", "reserved"],
  ["::ffff:127.0.0.1", "loopback (127.0.0.0/8)"],
  ["::ffff:7f00:1", "loopback (127.0.0.0/8)"],
  ["::ffff:0.0.0.0", "unspecified (0.0.0.0/8)"],
  ["64:ff9b::10.0.0.1", "private (10.0.0.0/8)"],
  ["2002:c0a8:101::1", "private (192.168.0.0/16)"],
];

for (const [address, range] of GUARDED) {
  Deno.test(`${address} is guarded as ${range}`, () => {
    assert.deepEqual(classifyAddress(address), { kind: "guarded", range });
    const closed = createAddressGuard({ allow: [], allowPrivate: false });
    assert.deepEqual(closed.check(address, { exactHost: false }), {
      allowed: false,
      reason: `${address} is ${range}`,
    });
    assert.equal(closed.check(address, { exactHost: true }).allowed, true);
    const open = createAddressGuard({ allow: [], allowPrivate: true });
    assert.equal(open.check(address, { exactHost: false }).allowed, true);
  });
}

Deno.test("public addresses and the neighbours of guarded ranges pass", () => {
  const guard = createAddressGuard({ allow: [], allowPrivate: false });
  const addresses = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:200::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
  ];
  for (const address of addresses) {
    assert.deepEqual(classifyAddress(address), { kind: "public" }, address);
    assert.deepEqual(guard.check(address, { exactHost: false }), { allowed: true }, address);
  }
});

Deno.test("an allowed range opens its addresses, IPv4-mapped ones included, and no others", () => {
  const guard = createAddressGuard({
    allow: ["10.1.0.0/16", "192.168.1.5", "fd12::/16", "127.0.0.0/31"],
    allowPrivate: false,
  });
  const check = (address: string) => guard.check(address, { exactHost: false }).allowed;
  for (const yes of ["10.1.2.3", "::ffff:10.1.2.3", "192.168.1.5", "fd12:3::4", "127.0.0.1"]) {
    assert.equal(check(yes), true, yes);
  }
  for (const no of ["10.2.0.0", "192.168.1.4", "fd13::1", "127.0.0.2", "64:ff9b::10.1.2.3"]) {
    assert.equal(check(no), false, no);
  }
});

Deno.test("createAddressGuard() names every range that it cannot read, with the fix", () => {
  const allow = [
    "10.0.0.0/8",
    "10.0.0.5/8",
    "fd00::1/8",
    "10.0.0.0/33",
    "x",
    "0.0.0.0/0",
    "::1/08",
  ];
  assert.throws(() => createAddressGuard({ allow, allowPrivate: false }), (error) => {
    const { code, issues, message } = error as BrokerError;
    assert.equal(code, "validation_failed");
    assert.deepEqual(issues.map(({ path }) => path), [[1], [2], [3], [4], [5], [6]]);
    assert.match(message, /"10\.0\.0\.5\/8": .*write "10\.0\.0\.0\/8"/);
    assert.match(message, /"fd00::1\/8": .*write "fd00::\/8"/);
    assert.match(message, /"10\.0\.0\.0\/33": the length after "\/" must be 0 to 32/);
    assert.match(message, /"0\.0\.0\.0\/0": it takes in every address/);
    return true;
  });
});

Deno.test("isLocalAddress() is true for loopback and private addresses only", () => {
  const yes = [
    "127.0.0.1",
    "::1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "fd00::1",
    "::ffff:10.0.0.1",
  ];
  for (const address of yes) assert.equal(isLocalAddress(address), true, address);
  const no = [
    "8.8.8.8",
    "172.32.0.1",
    "169.254.1.1",
    "fe80::1",
    "100.64.0.1",
    "0.0.0.0",
    "::",
    "::10.0.0.1",
    "64:ff9b::10.0.0.1",
    "2002:a00:1::",
    "localhost",
    "",
    "127.1",
  ];
  for (const address of no) assert.equal(isLocalAddress(address), false, address);
});

Deno.test("parseAddress() gives the bytes of every way to write an address", () => {
  const cases: [text: string, bytes: number[]][] = [
    ["0.0.0.0", [0, 0, 0, 0]],
    ["192.168.1.255", [192, 168, 1, 255]],
    ["::", Array<number>(16).fill(0)],
    ["::1", [...Array<number>(15).fill(0), 1]],
    ["1::", [0, 1, ...Array<number>(14).fill(0)]],
    ["1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
    ["1:2:3:4:5:6:7::", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0]],
    ["::ffff:1.2.3.4", [...Array<number>(10).fill(0), 255, 255, 1, 2, 3, 4]],
    ["1:2:3:4:5:6:1.2.3.4", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 2, 3, 4]],
    ["ABCD::ef", [0xab, 0xcd, ...Array<number>(13).fill(0), 0xef]],
  ];
  for (const [text, bytes] of cases) assert.deepEqual([...parseAddress(text) ?? []], bytes, text);
});

Deno.test("parseAddress() refuses what two resolvers could read differently", () => {
  const texts = [
    "127.1",
    "127.0.0.01",
    "0x7f.0.0.1",
    "2130706433",
    "256.0.0.1",
    "1.2.3.4.",
    " 1.2.3.4",
    "1.2.3.4\n",
    "1.2.3",
    "1.2.3.4.5",
    "١.1.1.1",
    "fe80::1%eth0",
    "fe80::1%25eth0",
    "[::1]",
    ":::",
    "::1::",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "12345::",
    "::g",
    "1.2.3.4::",
    "::1.2.3.4:1",
    "::1.2.3",
    ":1",
    "1:",
  ];
  for (const text of texts) assert.equal(parseAddress(text), undefined, text);
});

Deno.test("parseAddress() accepts exactly what the platform's own parser accepts", () => {
  const units = fc.constantFrom("1", "0", "ff", "255", "256", ":", "::", ".", ":", "abcd", "12345");
  const texts = fc.array(units, { maxLength: 16 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(texts, fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (text) => {
      const expected = { 0: undefined, 4: 4, 6: 16 }[isIP(text)];
      assert.equal(parseAddress(text)?.length, expected, text);
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("no address is public when the IPv4 address inside it is not", () => {
  fc.assert(fc.property(fc.ipV4(), (ipv4) => {
    const plain = classifyAddress(ipv4);
    for (const form of [`::ffff:${ipv4}`, `64:ff9b::${ipv4}`]) {
      assert.deepEqual(classifyAddress(form), plain, form);
    }
    assert.notEqual(classifyAddress(`::${ipv4}`).kind, "public");
  }));
});
