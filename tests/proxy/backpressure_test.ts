/** Whoever stops reading makes the other side wait; nothing piles up in between. */
import assert from "node:assert/strict";
import { startUpstream } from "../support/upstream.ts";
import { TestBroker } from "./fixture.ts";
import { WAYS } from "./ways.ts";

/** More than all socket buffers on the way may take: three hops of about 10 MB each. */
const TOTAL_BYTES = 96 * 1024 * 1024;
const MOST_IN_BUFFERS = 48 * 1024 * 1024;

const PIECE = new Uint8Array(256 * 1024).fill(0x61);

/** Writes the body piece by piece and counts what was taken. */
async function pour(send: (bytes: Uint8Array) => Promise<void>, taken: { bytes: number }) {
  while (taken.bytes < TOTAL_BYTES) {
    await send(PIECE);
    taken.bytes += PIECE.length;
  }
}

/** Resolves when the count no longer grows: everything on the way is full, or everything went through. */
async function standstill(taken: { bytes: number }): Promise<void> {
  let before = -1;
  while (before !== taken.bytes || before === 0) {
    before = taken.bytes;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

for (const way of WAYS) {
  for (const framing of [`Content-Length: ${TOTAL_BYTES}`, "Transfer-Encoding: chunked"]) {
    const chunked = framing.startsWith("Transfer");
    const size = `${PIECE.length.toString(16)}\r\n`;
    const how = chunked ? "in chunks" : "with a length";

    Deno.test(`an upstream that reads nothing makes the client's upload ${how} wait ${way.name}`, async () => {
      const read = Promise.withResolvers<void>();
      await using upstream = startUpstream({
        ...way.upstream,
        serve: async (connection) => {
          await connection.readHead();
          await read.promise;
          if (chunked) await connection.reader.takeThrough("\r\n0\r\n\r\n").catch(() => {});
          else await connection.reader.skip(TOTAL_BYTES);
          await connection.send("HTTP/1.1 204 No Content\r\n\r\n");
        },
      });
      await using broker = new TestBroker({ services: [{ host: "api.test" }] });
      using client = await way.open(broker, upstream.port);
      const taken = { bytes: 0 };
      await client.send(
        way.head(broker, upstream.port, { method: "POST", fields: [framing] }),
      );
      const pouring = pour(async (bytes) => {
        if (chunked) await client.send(size);
        await client.send(bytes);
        if (chunked) await client.send("\r\n");
      }, taken);
      await standstill(taken);
      assert.ok(taken.bytes < MOST_IN_BUFFERS, `${taken.bytes} bytes were taken`);
      if (chunked) {
        // Enough is proven; the scripted upstream would be slow to search so much for its end.
        client.close();
        read.resolve();
        await pouring.catch(() => {});
        return;
      }
      read.resolve();
      await pouring;
      await client.readResponse();
      const [row] = await broker.rowsReach(1);
      assert.equal(row!.requestBytes, TOTAL_BYTES);
    });

    Deno.test(`a client that reads nothing makes the upstream's answer ${how} wait ${way.name}`, async () => {
      const taken = { bytes: 0 };
      let pouring: Promise<void> = Promise.resolve();
      await using upstream = startUpstream({
        ...way.upstream,
        serve: async (connection) => {
          await connection.readRequest();
          await connection.send(`HTTP/1.1 200 OK\r\n${framing}\r\n\r\n`);
          pouring = pour(async (bytes) => {
            if (chunked) await connection.send(size);
            await connection.send(bytes);
            if (chunked) await connection.send("\r\n");
          }, taken);
          await pouring;
        },
      });
      await using broker = new TestBroker({ services: [{ host: "api.test" }] });
      using client = await way.open(broker, upstream.port);
      await client.send(way.head(broker, upstream.port, {}));
      await client.readHead();
      await standstill(taken);
      assert.ok(taken.bytes < MOST_IN_BUFFERS, `${taken.bytes} bytes were taken`);
      if (chunked) {
        client.close();
        await pouring.catch(() => {});
        return;
      }
      await client.reader.skip(TOTAL_BYTES);
      const [row] = await broker.rowsReach(1);
      assert.equal(row!.responseBytes, TOTAL_BYTES);
    });
  }
}
