/** The interactive builder as a person uses it, on a pseudo-terminal. */

import assert from "node:assert/strict";
import { type Played, TestHome } from "./test_home.ts";

const ignore = Deno.build.os === "windows";

const CANARY = "canary-builder-0123456789";
const CTRL_C = "\x03";
const DOWN = "\x1b[B";
const UP = "\x1b[A";
const CLEAR_LINE = "\x15";
const RETURN = "\r";

const ADD = ["vault", "service", "add"];
const SET = ["vault", "service", "set"];

type Step = readonly [expect: string, type: string];

/** Questions that come in every path, in the words that they end with. */
const WHICH = "Which service?";
const SAVE: Step = ["Add this to vault", RETURN];
const NO_PLACEHOLDERS: Step = ["Placeholders in the request", RETURN];

/** Starts from a host and takes the name that is offered. */
function fromHost(host: string, name = ""): Step[] {
  return [[WHICH, host], ["a host, without the catalog", RETURN], ["Name", `${name}${RETURN}`]];
}

/** Chooses the auth type that stands at a place of the list. */
function auth(place: number): Step {
  return ["How does the host want", `${DOWN.repeat(place)}${RETURN}`];
}

/** Takes the credential that is offered and gives it a value. */
function credential(question: string, value: string = CANARY): Step[] {
  return [[`${question}: which credential?`, RETURN], ["Value of", `${value}${RETURN}`]];
}

async function play(
  home: TestHome,
  args: readonly string[],
  steps: readonly Step[],
  columns = 80,
): Promise<Played> {
  const played = await home.onTerminal(args, { steps, columns });
  assert.equal(played.missed, null, played.output);
  assert.ok(!played.output.includes(CANARY), "a value was shown");
  return played;
}

async function services(home: TestHome): Promise<Record<string, unknown>[]> {
  return (await home.json(["vault", "service", "list"])).services;
}

async function keys(home: TestHome): Promise<string[]> {
  return (await home.json(["vault", "credential", "list"])).keys;
}

function test(name: string, fn: (home: TestHome) => Promise<void>): void {
  Deno.test({
    name,
    ignore,
    fn: async () => {
      using home = new TestHome();
      await home.done(["init"]);
      await fn(home);
    },
  });
}

/** Every auth type from a host: what is answered, and what is stored. */
const AUTHS: readonly (readonly [type: string, steps: readonly Step[], stored: unknown])[] = [
  ["bearer", [auth(0), ...credential("Token")], { type: "bearer", token: "EXAMPLE_TOKEN" }],
  [
    "basic",
    [
      auth(1),
      ...credential("User name"),
      ["And the password?", RETURN],
      ...credential("Password"),
    ],
    { type: "basic", username: "EXAMPLE_USER", password: "EXAMPLE_PASSWORD" },
  ],
  [
    "basic without a password",
    [auth(1), ...credential("User name"), ["And the password?", `${DOWN}${RETURN}`]],
    { type: "basic", username: "EXAMPLE_USER" },
  ],
  [
    "api-key in the usual header",
    [auth(2), ...credential("API key"), ["Header", RETURN], ["Text before the value", RETURN]],
    { type: "api-key", key: "EXAMPLE_API_KEY" },
  ],
  [
    "api-key in a header of its own, with a prefix",
    [
      auth(2),
      ...credential("API key"),
      ["Header", `X Key${RETURN}`],
      ["column 2", `${CLEAR_LINE}X-Key${RETURN}`],
      ["Text before the value", "Token "],
      ["sends X-Key: Token EXAMPLE_API_KEY", RETURN],
    ],
    { type: "api-key", key: "EXAMPLE_API_KEY", header: "X-Key", prefix: "Token " },
  ],
  [
    "custom with two headers",
    [
      auth(3),
      ["Header 1", `X-One${RETURN}`],
      ["for each value", "id {{ ONE_ID"],
      ["is not closed", ` }}:{{ TWO }}${RETURN}`],
      ["Another header?", `${DOWN}${RETURN}`],
      ["Header 2", "x-one"],
      ["is set already", `${CLEAR_LINE}X-Two${RETURN}`],
      ["for each value", `{{ TWO }}${RETURN}`],
      ["Another header?", RETURN],
      ["Value of ONE_ID", `${CANARY}${RETURN}`],
      ["Value of TWO", `${CANARY}${RETURN}`],
    ],
    { type: "custom", headers: { "X-One": "id {{ ONE_ID }}:{{ TWO }}", "X-Two": "{{ TWO }}" } },
  ],
  ["passthrough", [auth(4)], { type: "passthrough" }],
];

for (const [type, steps, stored] of AUTHS) {
  test(`the builder adds a service from a host: ${type}`, async (home) => {
    const played = await play(home, ADD, [
      ...fromHost("api.example.com/v1/*"),
      ...steps,
      NO_PLACEHOLDERS,
      SAVE,
    ]);
    assert.equal(played.status, 0, played.output);
    assert.deepEqual(await services(home), [{
      name: "api-example-com-v1",
      host: "api.example.com/v1/*",
      enabled: true,
      auth: stored,
      substitutions: [],
    }]);
    const values = (await home.json(["vault", "credential", "list", "--reveal"])).credentials;
    assert.deepEqual(
      new Set(Object.values(values)),
      new Set(type === "passthrough" ? [] : [CANARY]),
    );
  });
}

test("an entry of the catalog is found by part of its name and comes whole", async (home) => {
  const played = await play(home, ADD, [
    [WHICH, "gith"],
    ["❯ GitHub", RETURN],
    ...credential("GITHUB_TOKEN"),
    SAVE,
  ]);
  assert.equal(played.status, 0, played.output);
  assert.match(played.output, /https:\/\/github\.com\/settings/);
  assert.deepEqual((await services(home)).map(({ name, host }) => [name, host]), [
    ["github", "api.github.com"],
    ["github-git", "github.com"],
  ]);
  assert.deepEqual(await keys(home), ["GITHUB_GIT_USER", "GITHUB_TOKEN"]);
});

test("a part of the host that is the customer's is asked for, and checked", async (home) => {
  const played = await play(home, ADD, [
    [WHICH, "jira"],
    ["❯ Jira", RETURN],
    ["site:", "my site"],
    ["no part of a host name", `${CLEAR_LINE}acme${RETURN}`],
    ...credential("ATLASSIAN_EMAIL"),
    ...credential("ATLASSIAN_API_TOKEN"),
    SAVE,
  ]);
  assert.equal(played.status, 0, played.output);
  assert.deepEqual((await services(home)).map(({ host }) => host), ["acme.atlassian.net"]);
});

test("a stored credential is picked by part of its key, in place of the entry's own", async (home) => {
  await home.done(["vault", "credential", "set", "WORK_STRIPE"], { stdin: CANARY });
  await home.done(["vault", "credential", "set", "OTHER"], { stdin: CANARY });
  const played = await play(home, ADD, [
    [WHICH, "stripe"],
    ["❯ Stripe", RETURN],
    ["which credential?", "work"],
    ["❯ WORK_STRIPE", RETURN],
    SAVE,
  ]);
  assert.equal(played.status, 0, played.output);
  assert.deepEqual((await services(home))[0]?.["auth"], { type: "bearer", token: "WORK_STRIPE" });
  assert.deepEqual(await keys(home), ["OTHER", "WORK_STRIPE"]);
});

test("a new credential can be named, refused values are asked for again, and one may wait", async (home) => {
  const played = await play(home, ADD, [
    ...fromHost("*.corp.test:8443", "corp"),
    auth(1),
    ["User name: which credential?", `${DOWN}${RETURN}`],
    ["Key of the new credential", "my-key"],
    ["A credential key is capital letters", `${CLEAR_LINE}MY_KEY${RETURN}`],
    ["Value of MY_KEY", `   ${RETURN}`],
    ["Refuse the value", `${CANARY}${RETURN}`],
    ["And the password?", RETURN],
    ["Password: which credential?", RETURN],
    ["Value of CORP_PASSWORD", RETURN],
    NO_PLACEHOLDERS,
    SAVE,
  ]);
  assert.equal(played.status, 0, played.output);
  assert.match(played.output, /CORP_PASSWORD +not in the vault yet/);
  assert.match(played.output, /to store: broker vault credential set CORP_PASSWORD/);
  assert.deepEqual(await keys(home), ["MY_KEY"]);
});

test("a host is typed in a question of its own, and checked as it is typed", async (home) => {
  const played = await play(home, ADD, [
    [WHICH, RETURN],
    ["Host", "API.Example.com/**"],
    ["column", `${CLEAR_LINE}api.example.com`],
    ["takes api.example.com, any port, any path", RETURN],
    ["Name", "No"],
    ["upper-case", `${CLEAR_LINE}api${RETURN}`],
    auth(4),
    NO_PLACEHOLDERS,
    SAVE,
  ]);
  assert.equal(played.status, 0, played.output);
  assert.deepEqual((await services(home)).map(({ name, host }) => [name, host]), [
    ["api", "api.example.com"],
  ]);
});

test("a pasted URL is taken for the host that it names", async (home) => {
  await play(home, ADD, [
    [WHICH, "https://api.example.com/"],
    ["❯ api.example.com", RETURN],
    ["Name", `api${RETURN}`],
    auth(4),
    NO_PLACEHOLDERS,
    SAVE,
  ]);
  assert.deepEqual((await services(home)).map(({ host }) => host), ["api.example.com"]);
});

test("placeholders are added with their surfaces, checked, told apart and removed", async (home) => {
  const played = await play(home, ADD, [
    ...fromHost("api.example.com", "api"),
    auth(4),
    ["Placeholders in the request", `${DOWN}${RETURN}`],
    ...credential("Value to put in"),
    ["Placeholder that the agent writes", "bare"],
    ["is a bare word", `${CLEAR_LINE}__sid__${RETURN}`],
    ["Where may __sid__ stand?", `${DOWN}${DOWN}${DOWN} ${RETURN}`],
    ["Placeholders in the request", `${DOWN}${RETURN}`],
    ["Value to put in: which credential?", RETURN],
    ["Placeholder that the agent writes", "__sid__"],
    ["stands for another value already", `${CLEAR_LINE}__two__${RETURN}`],
    ["Where may __two__ stand?", `  ${DOWN} ${RETURN}`],
    ["Placeholders in the request", `${DOWN}${DOWN}${RETURN}`],
    ["remove __two__", RETURN],
    SAVE,
  ]);
  assert.equal(played.status, 0, played.output);
  assert.deepEqual((await services(home))[0]?.["substitutions"], [
    { key: "EXAMPLE_KEY", placeholder: "__two__", in: ["path"] },
  ]);
});

test("a placeholder needs a surface", async (home) => {
  const played = await play(home, ADD, [
    ...fromHost("api.example.com", "api"),
    auth(4),
    ["Placeholders in the request", `${DOWN}${RETURN}`],
    ...credential("Value to put in"),
    ["Placeholder that the agent writes", RETURN],
    // The first two are chosen already.
    ["Where may", ` ${DOWN} ${RETURN}`],
    ["At least one choice", `${DOWN}${DOWN}${DOWN} ${RETURN}`],
    NO_PLACEHOLDERS,
    SAVE,
  ]);
  assert.equal(played.status, 0, played.output);
  assert.deepEqual((await services(home))[0]?.["substitutions"], [
    { key: "EXAMPLE_KEY", placeholder: "__example_key__", in: ["websocket"] },
  ]);
});

test("every part can be changed before saving", async (home) => {
  const edit = (place: number): Step => ["Change", `${DOWN.repeat(place)}${RETURN}`];
  const played = await play(home, ADD, [
    ...fromHost("api.example.com", "api"),
    auth(4),
    NO_PLACEHOLDERS,
    ["Add this to vault", `${DOWN}${RETURN}`],
    edit(1),
    ["Name", `renamed${RETURN}`],
    edit(2),
    ["Host", `other.example.com${RETURN}`],
    edit(3),
    auth(1),
    ...credential("Token"),
    edit(4),
    ["Placeholders in the request", `${DOWN}${RETURN}`],
    ["Value to put in: which credential?", `${DOWN}${RETURN}`],
    ["Placeholder that the agent writes", RETURN],
    ["Where may", RETURN],
    NO_PLACEHOLDERS,
    edit(5),
    ["Change", RETURN],
    SAVE,
  ]);
  assert.equal(played.status, 0, played.output);
  assert.deepEqual(await services(home), [{
    name: "renamed",
    host: "other.example.com",
    enabled: false,
    auth: { type: "bearer", token: "EXAMPLE_TOKEN" },
    substitutions: [{
      key: "EXAMPLE_TOKEN",
      placeholder: "__example_token__",
      in: ["path", "query"],
    }],
  }]);
});

test("one of several services of an entry can be changed", async (home) => {
  await play(home, ADD, [
    [WHICH, "gith"],
    ["❯ GitHub", RETURN],
    ...credential("GITHUB_TOKEN"),
    ["Add this to vault", `${DOWN}${RETURN}`],
    ["Which one?", `${DOWN}${RETURN}`],
    ["Change", `${DOWN}${RETURN}`],
    ["Name", "github"],
    ["is already the name", `${CLEAR_LINE}hub-git${RETURN}`],
    ["Change", RETURN],
    SAVE,
  ]);
  assert.deepEqual((await services(home)).map(({ name }) => name), ["github", "hub-git"]);
});

test("a name in use is replaced only when that is agreed to", async (home) => {
  await home.done([...ADD, "--name", "api", "--host", "old.test", "--token-key", "OLD"]);
  const played = await play(home, ADD, [
    ...fromHost("api.example.com", "api"),
    ["Replace it?", RETURN],
    ["Name", `api-2${RETURN}`],
    auth(4),
    NO_PLACEHOLDERS,
    SAVE,
  ]);
  assert.equal(played.status, 0, played.output);
  const replaced = await play(home, ADD, [
    ...fromHost("new.example.com", "api"),
    ["Replace it?", `y${RETURN}`],
    auth(4),
    NO_PLACEHOLDERS,
    ["replaces the service", RETURN],
  ]);
  assert.equal(replaced.status, 0, replaced.output);
  assert.deepEqual((await services(home)).map(({ name, host }) => [name, host]), [
    ["api", "new.example.com"],
    ["api-2", "api.example.com"],
  ]);
});

test("discarding leaves the vault as it was, and says so", async (home) => {
  const played = await play(home, ADD, [
    ...fromHost("api.example.com"),
    auth(0),
    ...credential("Token"),
    NO_PLACEHOLDERS,
    ["Add this to vault", `${UP}${RETURN}`],
  ]);
  assert.equal(played.status, 1);
  assert.match(played.output, /nothing was changed/);
  assert.deepEqual([await services(home), await keys(home)], [[], []]);
});

const LONG_PATH: readonly Step[] = [
  ...fromHost("api.example.com", "api"),
  auth(2),
  ...credential("API key"),
  ["Header", `X-Key${RETURN}`],
  ["Text before the value", RETURN],
  ["Placeholders in the request", `${DOWN}${RETURN}`],
  ...credential("Value to put in"),
  ["Placeholder that the agent writes", RETURN],
  ["Where may", RETURN],
  ["Placeholders in the request", RETURN],
  ["Add this to vault", `${DOWN}${RETURN}`],
  ["Change", ""],
];

for (const [index, [question]] of LONG_PATH.entries()) {
  test(`Ctrl-C at step ${index + 1}, "${question}", leaves the vault as it was`, async (home) => {
    const played = await play(home, ADD, [...LONG_PATH.slice(0, index), [question, CTRL_C]]);
    assert.equal(played.status, 130, played.output);
    assert.match(played.output, /Cancelled, nothing was changed/);
    assert.deepEqual([await services(home), await keys(home)], [[], []]);
  });
}

test("the builder can be used on a narrow terminal", async (home) => {
  const played = await play(
    home,
    ADD,
    [
      [WHICH, "stripe"],
      ["❯ Stripe", RETURN],
      ["which", RETURN],
      ["Value of", `${CANARY}${RETURN}`],
      ["Add this", RETURN],
    ],
    30,
  );
  assert.equal(played.status, 0, played.output);
  assert.deepEqual((await services(home)).map(({ name }) => name), ["stripe"]);
});

async function addThree(home: TestHome): Promise<void> {
  await home.done([...SET, "-f", "-"], {
    stdin: `services:
  - { name: one-1, host: one.test, auth: { type: bearer, token: ONE } }
  - { name: two-2, host: two.test, auth: { type: passthrough } }
  - { name: three, host: three.test, auth: { type: passthrough } }
`,
  });
}

const LIST = "Services of vault";
const REVIEW: Step = [LIST, `${DOWN}${RETURN}`];
const AGREE: Step = ["Make these the services", RETURN];

/** Finds a service of the list by its name and chooses the action that stands at a place. */
function onService(name: string, place: number): Step[] {
  return [[LIST, name], [`❯ ${name}`, RETURN], [".test)", `${DOWN.repeat(place)}${RETURN}`]];
}

test("the list is reordered, edited and shortened, then saved as a whole", async (home) => {
  await addThree(home);
  const played = await play(home, SET, [
    ...onService("three", 1),
    ...onService("one-1", 1),
    ...onService("two-2", 2),
    ...onService("one-1", 0),
    ["Change", `${UP}${RETURN}`],
    ["Change", RETURN],
    ...onService("three", 3),
    [LIST, RETURN],
    ...fromHost("new.test", "new"),
    auth(4),
    NO_PLACEHOLDERS,
    REVIEW,
    ["Make these the services", `${DOWN}${RETURN}`],
    REVIEW,
    AGREE,
  ]);
  assert.equal(played.status, 0, played.output);
  assert.deepEqual((await services(home)).map(({ name, enabled }) => [name, enabled]), [
    ["three", true],
    ["one-1", false],
    ["new", true],
  ]);
});

test("a list without services is saved as a cleared vault", async (home) => {
  await home.done([...ADD, "--name", "only", "--host", "only.test", "--auth-type", "passthrough"]);
  const played = await play(home, SET, [
    ...onService("only", 1),
    REVIEW,
    ["Remove all 1 services", RETURN],
  ]);
  assert.equal(played.status, 0, played.output);
  assert.deepEqual(await services(home), []);
});

test("the list that is discarded or interrupted is not saved", async (home) => {
  await addThree(home);
  for (const [keys, status] of [[`${DOWN}${DOWN}${RETURN}`, 1], [CTRL_C, 130]] as const) {
    const played = await play(home, SET, [...onService("two-2", 3), [LIST, keys]]);
    assert.equal(played.status, status, played.output);
  }
  assert.equal((await services(home)).length, 3);
});

Deno.test("without a terminal the builder's commands name the flags to use", async () => {
  using home = new TestHome();
  await home.done(["init"]);
  const add = await home.broker(ADD);
  assert.equal(add.status, 2);
  assert.match(add.stderr, /no terminal to ask on[^]*--name NAME --host HOST/);
  const set = await home.broker(SET);
  assert.equal(set.status, 2);
  assert.match(set.stderr, /no terminal to ask on[^]*service set -f services\.yaml/);
});
