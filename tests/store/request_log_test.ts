import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import type { RequestLogFilter } from "../../src/model/request_log_query.ts";
import type { RequestLogRow } from "../../src/model/request_log_row.ts";
import { RequestLogDatabase } from "../../src/store/request_log.ts";
import {
  DEFAULT_RETENTION,
  parseRetention,
  RequestLogWriter,
} from "../../src/store/request_log_writer.ts";
import { runDeno } from "../support/run_process.ts";
import { temporaryHome } from "./temporary_home.ts";

let counter = 0;

function row(change: Partial<RequestLogRow> = {}): RequestLogRow {
  return {
    id: crypto.randomUUID(),
    createdAt: 1_700_000_000_000 + counter++ * 1_000,
    vault: "default",
    ingress: "connect",
    method: "GET",
    host: "api.test",
    path: "/x",
    matchedService: "api",
    credentialKeys: ["KEY"],
    status: 200,
    latencyMs: 1.5,
    requestBytes: 0,
    responseBytes: 2,
    errorCode: undefined,
    actorType: "session",
    actorName: "s1",
    ...change,
  };
}

function openLog(): { log: RequestLogDatabase; path: string; [Symbol.dispose](): void } {
  const home = temporaryHome();
  Deno.mkdirSync(home.path, { recursive: true });
  const log = RequestLogDatabase.open(home.path);
  return {
    log,
    path: home.path,
    [Symbol.dispose]() {
      log.close();
      home[Symbol.dispose]();
    },
  };
}

Deno.test("a row comes back as it was, whatever is left out of it", () => {
  using fixture = openLog();
  const rows = [
    row(),
    row({ credentialKeys: ["A", "B"], errorCode: "forbidden", status: 403 }),
    row({
      vault: undefined,
      matchedService: undefined,
      credentialKeys: [],
      actorType: undefined,
      actorName: undefined,
      ingress: "tunnel",
      status: 0,
      path: "",
    }),
  ];
  fixture.log.append(rows);
  const { requests } = fixture.log.page({}, { limit: 10 });
  assert.deepEqual(requests.map((one) => one.row), rows.toReversed());
});

Deno.test("a page is what a plain look through all rows gives, for any rows and filter", () => {
  const pick = <T>(...values: T[]) => fc.constantFrom(...values);
  const rows = fc.array(
    fc.record({
      vault: pick("default", "work", undefined),
      matchedService: pick("api", "git", undefined),
      status: pick(0, 200, 204, 404, 499, 502),
      actorName: pick("s1", "s2", undefined),
      host: pick("a.test", "b.test:8443"),
      createdAt: fc.integer({ min: 0, max: 50 }).map((at) => 1_000_000 + at * 10_000),
      latencyMs: pick(0.5, 3_000, 70_000, 300_000),
    }),
    { maxLength: 60 },
  );
  const filter = fc.record({
    vault: pick("default", "work"),
    service: pick("api", "none"),
    status: pick({ first: 400, last: 499 }, { first: 0, last: 0 }),
    actor: pick("s1"),
    host: pick("a.test"),
    since: fc.integer({ min: 900_000, max: 1_500_000 }),
    until: fc.integer({ min: 900_000, max: 1_500_000 }),
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(rows, filter, fc.integer({ min: 1, max: 7 }), (changes, wanted, limit) => {
      using fixture = openLog();
      // As the writer does: in the order in which requests ended.
      const all = changes.map((change) => row(change))
        .sort((a, b) => a.createdAt + a.latencyMs - b.createdAt - b.latencyMs);
      fixture.log.append(all);
      const expected = all.filter((one) => fits(one, wanted)).reverse();
      const found: RequestLogRow[] = [];
      let before: number | undefined;
      do {
        const page = fixture.log.page(wanted, {
          limit,
          ...(before !== undefined && { before }),
        });
        found.push(...page.requests.map((one) => one.row));
        before = page.next;
        assert.ok(page.requests.length <= limit);
      } while (before !== undefined);
      assert.deepEqual(found, expected);
    }),
    { numRuns: 60 },
  );
});

function fits(one: RequestLogRow, wanted: RequestLogFilter): boolean {
  return (wanted.vault === undefined || one.vault === wanted.vault) &&
    (wanted.service === undefined || one.matchedService === wanted.service) &&
    (wanted.actor === undefined || one.actorName === wanted.actor) &&
    (wanted.host === undefined || one.host === wanted.host) &&
    (wanted.status === undefined ||
      (one.status >= wanted.status.first && one.status <= wanted.status.last)) &&
    (wanted.since === undefined || one.createdAt >= wanted.since) &&
    (wanted.until === undefined || one.createdAt < wanted.until);
}

Deno.test("rare rows far behind the newest are found by their shapes", () => {
  using fixture = openLog();
  const rare = row({ matchedService: "rare", status: 503 });
  fixture.log.append([rare]);
  for (let batch = 0; batch < 45; batch++) {
    fixture.log.append(Array.from({ length: 500 }, () => row()));
  }
  for (const filter of [{ service: "rare" }, { status: { first: 500, last: 599 } }]) {
    const { requests, next } = fixture.log.page(filter, { limit: 50 });
    assert.deepEqual(requests.map((one) => one.row), [rare]);
    assert.equal(next, undefined);
  }
});

Deno.test("paging gives each row once while others arrive", () => {
  using fixture = openLog();
  const rows = Array.from({ length: 9 }, () => row());
  fixture.log.append(rows);
  const first = fixture.log.page({}, { limit: 4 });
  fixture.log.append([row(), row()]);
  const second = fixture.log.page({}, { limit: 4, before: first.next! });
  const third = fixture.log.page({}, { limit: 4, before: second.next! });
  const found = [first, second, third].flatMap((page) => page.requests.map((one) => one.row));
  assert.deepEqual(found, rows.toReversed());
  assert.equal(third.next, undefined);
});

Deno.test("a follower sees what came since, the newest when there is too much, and what was lost", () => {
  using fixture = openLog();
  fixture.log.append([row()]);
  const after = fixture.log.newest();
  const rows = Array.from({ length: 5 }, () => row());
  fixture.log.append(rows, 7);
  const found = fixture.log.follow({}, { after, limit: 3 });
  assert.deepEqual(found.requests.map((one) => one.row), rows.slice(2));
  assert.equal(found.dropped, 2 + 7);
  assert.deepEqual(fixture.log.follow({}, { after: found.cursor, limit: 3 }).requests, []);
});

Deno.test("retention takes the oldest, by number and by age, in slices, and no place is used twice", () => {
  using fixture = openLog();
  const rows = Array.from({ length: 20 }, () => row());
  fixture.log.append(rows);
  const keep = { days: 36_500, rows: 12 };
  const now = rows.at(-1)!.createdAt;
  assert.equal(fixture.log.prune(keep, { now, limit: 5 }), true);
  assert.equal(fixture.log.prune(keep, { now, limit: 5 }), true);
  assert.equal(fixture.log.prune(keep, { now, limit: 5 }), false);
  const left = () => fixture.log.page({}, { limit: 50 }).requests;
  assert.deepEqual(left().map((one) => one.row), rows.slice(8).reverse());
  const newest = fixture.log.newest();
  while (fixture.log.prune({ days: 1, rows: 12 }, { now: now + 864_000_000, limit: 50 }));
  assert.equal(left().length, 1);
  fixture.log.append([row()]);
  assert.ok(fixture.log.newest() > newest);
});

Deno.test("a shape that another connection deleted is made again", () => {
  using fixture = openLog();
  using other = RequestLogDatabase.open(fixture.path);
  const old = row({ matchedService: "gone" });
  fixture.log.append([old, row()]);
  while (other.prune({ days: 36_500, rows: 1 }, { now: Date.now(), limit: 50 }));
  const again = row({ matchedService: "gone" });
  fixture.log.append([again]);
  assert.deepEqual(
    other.page({ service: "gone" }, { limit: 5 }).requests.map((one) => one.row),
    [again],
  );
});

Deno.test({
  name: "the file is the owner's alone",
  ignore: Deno.build.os === "windows",
  fn: () => {
    using fixture = openLog();
    fixture.log.append([row()]);
    for (const suffix of ["", "-wal"]) {
      const { mode } = Deno.statSync(RequestLogDatabase.pathIn(fixture.path) + suffix);
      assert.equal((mode ?? 0) & 0o077, 0, suffix);
    }
  },
});

Deno.test("a log of the version before keeps its rows and gets what it lacks", () => {
  using fixture = openLog();
  const rows = [row({ latencyMs: 3_600_000 }), row()];
  fixture.log.append(rows);
  fixture.log.close();
  const raw = new DatabaseSync(RequestLogDatabase.pathIn(fixture.path));
  raw.exec("DROP INDEX requests_long; PRAGMA user_version = 1");
  raw.close();
  using log = RequestLogDatabase.open(fixture.path);
  const { requests } = log.page({ until: rows[1]!.createdAt }, { limit: 10 });
  assert.deepEqual(requests.map((one) => one.row), [rows[0]]);
  using again = RequestLogDatabase.open(fixture.path);
  assert.equal(again.page({}, { limit: 10 }).requests.length, 2);
  const check = new DatabaseSync(RequestLogDatabase.pathIn(fixture.path));
  assert.equal(check.prepare("PRAGMA user_version").get()!["user_version"], 2);
  check.close();
});

Deno.test("a damaged log is set aside, said once, and requests go on", () => {
  using home = temporaryHome();
  Deno.mkdirSync(home.path, { recursive: true });
  const path = RequestLogDatabase.pathIn(home.path);
  Deno.writeTextFileSync(path, "this is no database ".repeat(400));
  const warnings: string[] = [];
  const writer = new RequestLogWriter({
    directory: home.path,
    now: Date.now,
    warn: (message) => warnings.push(message),
  });
  const one = row();
  writer.record(one);
  writer.flush();
  assert.deepEqual(writer.page({}, { limit: 5 }).requests.map((found) => found.row), [one]);
  writer.close();
  assert.match(warnings.join("\n"), /requests\.db\.damaged/);
  assert.match(Deno.readTextFileSync(`${path}.damaged`), /^this is no database/);
});

Deno.test("a log that cannot be written costs rows, which are counted, and nothing else", () => {
  const warnings: string[] = [];
  const writer = new RequestLogWriter({
    directory: "/nowhere/at/all",
    now: Date.now,
    warn: (message) => warnings.push(message),
  });
  for (let i = 0; i < 3; i++) writer.record(row());
  writer.flush();
  writer.record(row({ status: 502, errorCode: "dns_failed" }));
  assert.equal(writer.counts.requests, 4);
  assert.equal(writer.counts.failed, 1);
  writer.close();
  assert.equal(writer.counts.dropped, 4);
  assert.equal(warnings.length, 1, warnings.join("\n"));
});

Deno.test({
  // With no file descriptor left, a healthy log was renamed as if it were damaged.
  name: "a log that cannot be opened for a while stays as it is, and its rows wait",
  ignore: Deno.build.os === "windows",
  fn: () => {
    using fixture = openLog();
    const earlier = row();
    fixture.log.append([earlier]);
    fixture.log.close();
    const path = RequestLogDatabase.pathIn(fixture.path);
    Deno.renameSync(path, `${path}.away`);
    Deno.symlinkSync(path, path);
    const warnings: string[] = [];
    const writer = new RequestLogWriter({
      directory: fixture.path,
      now: Date.now,
      warn: (message) => warnings.push(message),
    });
    const later = row();
    writer.record(later);
    writer.flush();
    writer.flush();
    Deno.removeSync(path);
    Deno.renameSync(`${path}.away`, path);
    writer.flush();
    const { requests } = writer.page({}, { limit: 5 });
    assert.deepEqual(requests.map((found) => found.row), [later, earlier]);
    writer.close();
    assert.equal(writer.counts.dropped, 0);
    assert.equal(warnings.length, 1, warnings.join("\n"));
    assert.throws(() => Deno.statSync(`${path}.damaged`), Deno.errors.NotFound);
  },
});

Deno.test("the counts tell brokered, passed, refused and failed apart", () => {
  using home = temporaryHome();
  Deno.mkdirSync(home.path, { recursive: true });
  const writer = new RequestLogWriter({ directory: home.path, now: Date.now, warn: assert.fail });
  writer.record(row());
  writer.record(row({ status: 500 }));
  writer.record(row({ matchedService: undefined }));
  writer.record(row({ status: 403, errorCode: "forbidden" }));
  writer.record(row({ status: 0 }));
  // The challenge that git answers on the same connection is no refusal.
  writer.record(row({ status: 407, errorCode: "proxy_auth_required" }));
  writer.close();
  assert.deepEqual(writer.counts, {
    requests: 5,
    brokered: 2,
    refused: 1,
    failed: 1,
    passed: 1,
    dropped: 0,
  });
});

Deno.test("a killed process leaves its rows and a log that opens", async () => {
  using home = temporaryHome();
  Deno.mkdirSync(home.path, { recursive: true });
  const url = new URL("../../src/store/request_log_writer.ts", import.meta.url).href;
  const { stdout } = await runDeno([
    "eval",
    `const { RequestLogWriter } = await import(${JSON.stringify(url)});
     const writer = new RequestLogWriter({
       directory: ${JSON.stringify(home.path)}, now: Date.now, warn: console.log,
     });
     const template = JSON.parse(${JSON.stringify(JSON.stringify(row()))});
     for (let i = 0; i < 700; i++) writer.record({ ...template, id: crypto.randomUUID() });
     // The timer has come once it can be seen by another connection.
     const { RequestLogDatabase } = await import(${
      JSON.stringify(new URL("../../src/store/request_log.ts", import.meta.url).href)
    });
     const other = RequestLogDatabase.open(${JSON.stringify(home.path)});
     while (other.newest() < 700) await new Promise((resolve) => setTimeout(resolve, 10));
     for (let i = 0; i < 50; i++) writer.record({ ...template, id: crypto.randomUUID() });
     console.log("recorded");
     Deno.kill(Deno.pid, "SIGKILL");`,
  ]);
  assert.match(stdout, /recorded/);
  using log = RequestLogDatabase.open(home.path);
  assert.equal(log.page({}, { limit: 1_000 }).requests.length, 700);
  log.append([row()]);
});

Deno.test("two connections write and read one log", () => {
  using fixture = openLog();
  using other = RequestLogDatabase.open(fixture.path);
  const seen = other.revision();
  fixture.log.append([row({ matchedService: "one" })]);
  assert.notEqual(other.revision(), seen);
  other.append([row({ matchedService: "two" })]);
  assert.deepEqual(
    fixture.log.page({}, { limit: 5 }).requests.map((one) => one.row.matchedService),
    ["two", "one"],
  );
});

Deno.test("retention is read from the environment, and a bad number is named", () => {
  assert.deepEqual(parseRetention({}), DEFAULT_RETENTION);
  assert.deepEqual(parseRetention({ BROKER_LOG_DAYS: "7", BROKER_LOG_ROWS: "5000" }), {
    days: 7,
    rows: 5_000,
  });
  for (const text of ["0", "-1", "7d", "1.5"]) {
    assert.throws(() => parseRetention({ BROKER_LOG_DAYS: text }), /BROKER_LOG_DAYS/);
  }
});

Deno.test("a log that is switched off counts requests and writes no file", () => {
  using home = temporaryHome();
  Deno.mkdirSync(home.path, { recursive: true });
  const writer = new RequestLogWriter({
    directory: home.path,
    now: Date.now,
    warn: assert.fail,
    enabled: false,
  });
  writer.record(row());
  assert.deepEqual(writer.page({}, { limit: 5 }).requests, []);
  writer.close();
  assert.equal(writer.counts.requests, 1);
  assert.throws(() => Deno.statSync(RequestLogDatabase.pathIn(home.path)), Deno.errors.NotFound);
});
