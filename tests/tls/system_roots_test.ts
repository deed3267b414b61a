import assert from "node:assert/strict";
import { findSystemRoots, rootsBeyondBuiltIn } from "../../src/tls/system_roots.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";
import { createAuthority } from "./memory_store.ts";

/** Deno has about 150; a store with fewer than this would make most of the web unreachable. */
const FEW = 50;

const COMPANY = (await createAuthority()).certificatePem;

Deno.test("without a bundle the roots that are built into Deno stand in", async () => {
  await using files = await temporaryDirectory();
  await Deno.writeTextFile(files.join("empty.pem"), "");
  await Deno.mkdir(files.join("directory.pem"));
  const roots = await findSystemRoots({
    os: "linux",
    files: ["missing.pem", "empty.pem", "directory.pem"].map((name) => files.join(name)),
  });
  assert.equal(roots.source, "built-in");
  assert.ok((await roots.load()).length > FEW);
});

Deno.test("a bundle without a certificate does not leave the child without roots", async () => {
  await using files = await temporaryDirectory();
  await Deno.writeTextFile(files.join("roots.pem"), "no certificate");
  const roots = await findSystemRoots({ os: "linux", files: [files.join("roots.pem")] });
  assert.ok((await roots.load()).length > FEW);
});

Deno.test("the first bundle that exists wins, and its fingerprint follows its content", async () => {
  await using files = await temporaryDirectory();
  const path = files.join("roots.pem");
  const find = () => findSystemRoots({ os: "linux", files: [files.join("missing.pem"), path] });
  await Deno.writeTextFile(path, COMPANY);
  const first = await find();
  assert.equal(first.source, path);
  assert.deepEqual(await first.load(), [COMPANY]);
  assert.equal((await find()).fingerprint, first.fingerprint);
  await Deno.writeTextFile(path, `${COMPANY}# changed\n`);
  assert.notEqual((await find()).fingerprint, first.fingerprint);
});

Deno.test("macOS asks the platform, and Apple's own roots where the answer would be overridden", async () => {
  const plain = await findSystemRoots({ os: "darwin", environment: {} });
  const overridden = await findSystemRoots({
    os: "darwin",
    environment: { SSL_CERT_FILE: "/company.pem" },
  });
  assert.equal(plain.source, "keychain");
  assert.notEqual(plain.fingerprint, overridden.fingerprint);
  assert.ok((await plain.load()).length > FEW);
  assert.ok((await overridden.load()).length > FEW);
});

Deno.test("this machine has roots", async () => {
  const roots = await findSystemRoots();
  assert.ok((await roots.load()).length > 0);
});

Deno.test("only roots that Deno does not have lie beyond its own", async () => {
  const builtIn = await findSystemRoots({ os: "linux", files: [] });
  assert.deepEqual(await rootsBeyondBuiltIn(builtIn), []);
  const load = async () => [...await builtIn.load(), COMPANY];
  assert.deepEqual(await rootsBeyondBuiltIn({ ...builtIn, load }), [COMPANY]);
});
