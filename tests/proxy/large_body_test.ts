/** A gibibyte each way goes through in memory that does not grow with it. */
import assert from "node:assert/strict";
import { runDeno } from "../support/run_process.ts";
import { WAYS } from "./ways.ts";

/** Broker, client and upstream together grow by about 10 MiB when nothing piles up. */
const MOST_GROWTH_BYTES = 48 * 1024 * 1024;

for (const way of WAYS) {
  for (const direction of ["upload", "download"] as const) {
    Deno.test(`${direction === "upload" ? "an" : "a"} ${direction} of 1 GiB passes in flat memory ${way.name}`, async () => {
      const { code, stdout, stderr } = await runDeno([
        "run",
        "-A",
        "--no-check",
        new URL("./large_body_driver.ts", import.meta.url).href,
        direction,
        way.name,
      ]);
      assert.equal(code, 0, stderr);
      const growth = Number(stdout);
      assert.ok(growth < MOST_GROWTH_BYTES, `Memory grew by ${growth} bytes`);
    });
  }
}
