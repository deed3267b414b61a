/**
 * Runs `tests/vectors/*.json`: what a client sends, what its upstream gets of it, what the upstream
 * answers and what the client gets, byte for byte. One character is one byte.
 *
 * In texts, `{port}` is the upstream's port; `{target}` and `{asterisk}` begin a target in the form of
 * the way that is tested; `{auth}` is the Proxy-Authorization line where that way needs one.
 */
import assert from "node:assert/strict";
import { latin1Bytes, latin1Text } from "../support/bytes.ts";
import { startUpstream } from "../support/upstream.ts";
import { TestBroker } from "./fixture.ts";
import { assertLogged, assertRefusal } from "./refusal.ts";
import { type Way, WAYS } from "./ways.ts";

/** Text, or parts of it, of which some are repeated. */
type Text = string | readonly (string | { readonly repeat: readonly [string, number] })[];

interface VectorFile {
  readonly about: string;
  readonly ways: readonly string[];
  readonly vectors: readonly Vector[];
}

interface Vector {
  readonly name: string;
  readonly client: Text;
  /** The client closes its sending side behind that. */
  readonly client_ends?: boolean;
  /** Left out: no upstream is even connected to. */
  readonly upstream_receives?: string;
  /** The upstream gets these bytes or fewer, and its connection closes without an answer. */
  readonly upstream_receives_at_most?: string;
  /** One text a request. */
  readonly upstream_sends?: string | readonly string[];
  /** Bytes, the connection being kept behind them, or a refusal, which closes it. */
  readonly client_receives: string | { readonly refusal: "bad_request" | "headers_too_large" };
}

const FILE_KEYS = ["about", "ways", "vectors"];
const VECTOR_KEYS: readonly (keyof Vector)[] = [
  "name",
  "client",
  "client_ends",
  "upstream_receives",
  "upstream_receives_at_most",
  "upstream_sends",
  "client_receives",
];
const STATUS = { bad_request: 400, headers_too_large: 431 } as const;
const directory = new URL("../vectors/", import.meta.url);

for (const file of [...Deno.readDirSync(directory)].map(({ name }) => name).sort()) {
  assert.match(file, /^[a-z_]+\.json$/, `Not a vector file: ${file}`);
  for (const [vector, way] of readVectors(file)) {
    Deno.test(`${file}: ${vector.name} ${way.name}`, () => runVector(vector, way));
  }
}

function readVectors(file: string): [Vector, Way][] {
  const content: VectorFile = JSON.parse(Deno.readTextFileSync(new URL(file, directory)));
  rejectUnknownKeys(content, { allowed: FILE_KEYS, where: file });
  assert.ok(content.vectors.length > 0, `${file} has no vectors`);
  const names = content.vectors.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length, `${file} has a name twice`);
  const ways = content.ways.map((name) => {
    const way = WAYS.find((candidate) => candidate.name === name);
    assert.ok(way !== undefined, `${file} names no way: ${name}`);
    return way;
  });
  return content.vectors.flatMap((vector) => {
    rejectUnknownKeys(vector, { allowed: VECTOR_KEYS, where: `${file}: ${vector.name}` });
    assert.ok(vector.client_receives !== undefined, `${file}: ${vector.name} expects nothing`);
    return ways.map((way): [Vector, Way] => [vector, way]);
  });
}

function rejectUnknownKeys(
  value: object,
  { allowed, where }: { allowed: readonly string[]; where: string },
): void {
  for (const key of Object.keys(value)) {
    assert.ok(allowed.includes(key), `${where} has the unknown key "${key}"`);
  }
}

async function runVector(vector: Vector, way: Way): Promise<void> {
  let received = "";
  await using upstream = startUpstream({
    ...way.upstream,
    serve: async (connection) => {
      const answers = [vector.upstream_sends ?? []].flat();
      for (const answer of answers) {
        const request = await connection.readRequest();
        received += request!.head + latin1Text(request!.framedBody);
        await connection.send(latin1Bytes(answer));
      }
      received += latin1Text(await connection.reader.takeAll().catch(() => new Uint8Array(0)));
    },
  });
  await using broker = new TestBroker({ services: [{ host: "api.test" }] });
  using client = await way.open(broker, upstream.port);
  const expand = (text: Text) => expandText(text, { way, broker, port: upstream.port });

  await client.send(expand(vector.client));
  if (vector.client_ends === true) await client.closeWrite();
  const expected = vector.client_receives;
  if (typeof expected === "string") {
    assert.equal(latin1Text(await client.reader.take(expected.length)), expected);
    // It is kept: the end comes from the client, and nothing else comes before it.
    if (vector.client_ends !== true) await client.closeWrite();
    assert.equal(latin1Text(await client.readToEnd()), "");
  } else {
    const refusal = { status: STATUS[expected.refusal], code: expected.refusal };
    const answer = await client.readResponse();
    await assertLogged(broker, assertRefusal(answer, refusal), refusal);
    assert.deepEqual(answer.values("connection"), ["close"]);
    assert.equal(latin1Text(await client.readToEnd()), "");
  }
  client.close();
  await broker.proxy.stop();
  await upstream.close();
  const { upstream_receives, upstream_receives_at_most } = vector;
  if (upstream_receives !== undefined) assert.equal(received, expand(upstream_receives));
  else if (upstream_receives_at_most !== undefined) {
    assert.ok(expand(upstream_receives_at_most).startsWith(received), JSON.stringify(received));
  } else assert.equal(upstream.accepted, 0);
}

function expandText(
  text: Text,
  { way, broker, port }: { way: Way; broker: TestBroker; port: number },
): string {
  const parts = typeof text === "string" ? [text] : text;
  const whole = parts.map((part) =>
    typeof part === "string" ? part : part.repeat[0].repeat(part.repeat[1])
  ).join("");
  const forward = way.ingress === "forward";
  const origin = forward ? `http://api.test:${port}` : "";
  return whole
    .replaceAll("{target}", origin)
    .replaceAll("{asterisk}", forward ? origin : "*")
    .replaceAll("{port}", String(port))
    .replaceAll("{auth}", forward ? `Proxy-Authorization: ${broker.authorization}\r\n` : "");
}
