import assert from "node:assert/strict";
import { BODY_LIMIT_BYTES } from "../../src/api/body_bytes.ts";
import { readJsonBody } from "../../src/api/json_body.ts";
import { HttpFault } from "../../src/api/http_fault.ts";
import { CANARY, createFake, TOKEN } from "./fake_ports.ts";

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;

function post(body: Body | undefined, headers: Record<string, string> = {}): Request {
  return new Request("http://127.0.0.1/", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

async function faultOf(request: Request): Promise<HttpFault> {
  try {
    await readJsonBody(request);
  } catch (error) {
    assert.ok(error instanceof HttpFault, String(error));
    return error;
  }
  assert.fail("the body was accepted");
}

/** A body of so many bytes that announces no length, and what was read of it. */
function endless(): { stream: ReadableStream<Uint8Array<ArrayBuffer>>; read: () => number } {
  let sent = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  return { stream, read: () => sent };
}

Deno.test("malformed JSON is refused with its place and without a word of it", async () => {
  const fake = createFake();
  const answer = await fake.call("POST", "/v1/credentials", {
    token: TOKEN.operator,
    text: `{"credentials": {\n  "KEY": ${CANARY}}}`,
  });
  assert.equal(answer.status, 400);
  const text = await answer.text();
  assert.doesNotMatch(text, /canary/);
  const { error, message, line, column } = JSON.parse(text);
  assert.equal(error, "bad_request");
  assert.match(message, /line 2, column 10/);
  assert.deepEqual({ line, column }, { line: 2, column: 10 });
});

Deno.test("a body without an end is cut off at the limit", async () => {
  const { stream, read } = endless();
  const fault = await faultOf(post(stream));
  assert.equal(fault.code, "request_too_large");
  assert.deepEqual(fault.details, { limit_bytes: BODY_LIMIT_BYTES });
  assert.ok(read() <= BODY_LIMIT_BYTES + 4 * 65_536, `${read()} bytes were pulled`);
});

Deno.test("a body that announces too many bytes is refused unread", async () => {
  const { stream, read } = endless();
  const length = { "Content-Length": String(BODY_LIMIT_BYTES + 1) };
  assert.equal((await faultOf(post(stream, length))).code, "request_too_large");
  assert.ok(read() <= 65_536, `${read()} bytes were pulled`);
});

Deno.test("a route answers 413 above the limit", async () => {
  const answer = await createFake().call("PUT", "/v1/vaults/default/services", {
    token: TOKEN.operator,
    text: `{"services": [${" ".repeat(BODY_LIMIT_BYTES)}]}`,
  });
  assert.equal(answer.status, 413);
  const body = await answer.json();
  assert.equal(body.error, "request_too_large");
  assert.equal(body.limit_bytes, 1_048_576);
});

Deno.test("a body of exactly the limit is read", async () => {
  assert.deepEqual(await readJsonBody(post(`{}${" ".repeat(BODY_LIMIT_BYTES - 2)}`)), {});
});

for (
  const type of [
    "",
    "text/plain",
    "text/plain;application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/json-patch+json",
  ]
) {
  Deno.test(`a write of type "${type}" gets 415 and changes nothing`, async () => {
    const fake = createFake();
    const answer = await fake.call("PATCH", "/v1/vaults/default/settings", {
      token: TOKEN.operator,
      json: { unmatched_host_policy: "deny" },
      headers: { "Content-Type": type },
    });
    assert.equal(answer.status, 415);
    const body = await answer.json();
    assert.equal(body.error, "unsupported_media_type");
    assert.match(body.hint, /application\/json/);
    assert.equal(fake.settings.get("default")?.unmatchedHostPolicy, "passthrough");
  });
}

Deno.test("a compressed body gets 415", async () => {
  assert.equal(
    (await faultOf(post("{}", { "Content-Encoding": "gzip" }))).code,
    "unsupported_media_type",
  );
});

Deno.test("bytes that are not UTF-8 are refused", async () => {
  const fault = await faultOf(post(new Uint8Array([0x22, 0xff, 0x22])));
  assert.equal(fault.code, "bad_request");
  assert.match(fault.message, /UTF-8/);
});

Deno.test("a body that breaks off is the client's fault, not a defect", async () => {
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"a":'));
      controller.error(new Error("reset"));
    },
  });
  assert.equal((await faultOf(post(stream))).code, "bad_request");
});

Deno.test("an empty body is refused as JSON", async () => {
  for (const body of [undefined, ""]) {
    assert.match((await faultOf(post(body))).message, /expected a value at line 1, column 1/);
  }
});

for (
  const type of [
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json ; charset="UTF-8"; x=y',
  ]
) {
  Deno.test(`readJsonBody() takes the type ${type}`, async () => {
    assert.deepEqual(await readJsonBody(post('{"a": "é"}', { "Content-Type": type })), { a: "é" });
  });
}

Deno.test("readJsonBody() joins a body that arrives byte by byte", async () => {
  const bytes = new TextEncoder().encode('{"a":["ü€😀", 1]}');
  const stream = ReadableStream.from([...bytes].map((byte) => new Uint8Array([byte])));
  assert.deepEqual(await readJsonBody(post(stream)), { a: ["ü€😀", 1] });
});
