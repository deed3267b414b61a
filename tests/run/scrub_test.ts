import assert from "node:assert/strict";
import fc from "fast-check";
import { Secret } from "../../src/model/secret.ts";
import { createScrubber, placeholderOf } from "../../src/run/scrub.ts";

const TOKEN = "ghp_0123456789abcdefABCDEF"; // 26 characters: counts anywhere
const PASSWORD = "p@ss w/rd"; // 9 characters: counts between delimiters
const USER = "bot"; // 3 characters: counts only as a whole value

const scrub = createScrubber([
  { key: "GITHUB_TOKEN", value: new Secret(TOKEN) },
  { key: "DB_PASSWORD", value: new Secret(PASSWORD) },
  { key: "CI_USER", value: new Secret(USER) },
]);

function basic(text: string): string {
  return `Basic ${btoa(text)}`;
}

const SCRUBBED: readonly (readonly [text: string, scrubbed: string])[] = [
  [TOKEN, "__github_token__"],
  [` ${TOKEN}\n`, "__github_token__"],
  [USER, "__ci_user__"],
  [PASSWORD, "__db_password__"],
  [`Bearer ${TOKEN}`, "Bearer __github_token__"],
  [
    `https://x-access-token:${TOKEN}@github.example/`,
    "https://x-access-token:__github_token__@github.example/",
  ],
  [`https://${TOKEN}@github.example/`, "https://__github_token__@github.example/"],
  [`${TOKEN},${TOKEN}`, "__github_token__,__github_token__"],
  [`x${TOKEN}y`, "x__github_token__y"],
  [`{"token":"${TOKEN}"}`, `{"token":"__github_token__"}`],
  [`prefix ${btoa(TOKEN)}`, "prefix __github_token__"],
  [`password=${PASSWORD}`, "password=__db_password__"],
  [`"${PASSWORD}"`, `"__db_password__"`],
  [
    `postgres://app:${encodeURIComponent(PASSWORD)}@db.example/app`,
    "postgres://app:__db_password__@db.example/app",
  ],
  [`AUTHORIZATION: ${basic(`x-access-token:${TOKEN}`)}`, "AUTHORIZATION: Basic __github_token__"],
  [`AUTHORIZATION: ${basic(`app:${PASSWORD}`)}`, "AUTHORIZATION: Basic __db_password__"],
];

for (const [text, scrubbed] of SCRUBBED) {
  Deno.test(`a stored credential does not stay in ${JSON.stringify(text)}`, () => {
    assert.equal(scrub(text, "OTHER").text, scrubbed);
  });
}

const KEPT = [
  "",
  "/home/bot",
  "bot:x",
  "https://bot@github.example/",
  "__github_token__",
  TOKEN.slice(0, -1),
  TOKEN.toUpperCase(),
  `x${PASSWORD}y`,
  basic("someone:else"),
  "Basic training of the team",
];

for (const text of KEPT) {
  Deno.test(`${JSON.stringify(text)} is left as it is`, () => {
    assert.deepEqual(scrub(text, "OTHER"), { text, keys: [], whole: false });
  });
}

Deno.test("a user name of eight characters does not break the paths that hold it", () => {
  const withUser = createScrubber([{ key: "CI_USER", value: new Secret("buildbot") }]);
  for (const text of ["/home/buildbot", "/home/buildbot/bin:/usr/bin", "buildbot@corp.example"]) {
    assert.equal(withUser(text, "HOME").text, text);
  }
  assert.equal(
    withUser("https://buildbot@corp.example", "URL").text,
    "https://__ci_user__@corp.example",
  );
});

Deno.test("a credential that holds another one is replaced as a whole", () => {
  const nested = createScrubber([
    { key: "INNER", value: new Secret("0123456789abcdef") },
    { key: "OUTER", value: new Secret("0123456789abcdef-and-more") },
  ]);
  assert.deepEqual(nested("Bearer 0123456789abcdef-and-more", "X"), {
    text: "Bearer __outer__",
    keys: ["OUTER"],
    whole: false,
  });
});

Deno.test("among keys of one value the variable's own name is preferred", () => {
  const twice = createScrubber([
    { key: "FIRST", value: new Secret("same") },
    { key: "SECOND", value: new Secret("same") },
  ]);
  assert.equal(twice("same", "SECOND").text, "__second__");
  assert.equal(twice("same", "OTHER").text, "__first__");
});

Deno.test("characters that a replacement text would expand stay what they are", () => {
  const odd = createScrubber([{ key: "ODD", value: new Secret("$&$1$$(.*)[a-z]+\\d") }]);
  assert.equal(odd("Bearer $&$1$$(.*)[a-z]+\\d", "X").text, "Bearer __odd__");
});

Deno.test("an empty stored value does not touch anything", () => {
  const empty = createScrubber([{ key: "EMPTY", value: new Secret("") }]);
  assert.equal(empty("", "X").text, "");
  assert.equal(empty("text", "X").text, "text");
});

Deno.test("no text around a long credential keeps it in the result", () => {
  const text = fc.string({ unit: "binary" });
  const credential = fc.stringMatching(/^[!-~]{16,40}$/);
  fc.assert(fc.property(text, credential, text, (before, value, after) => {
    const scrubber = createScrubber([{ key: "K", value: new Secret(value) }]);
    const { text: scrubbed } = scrubber(before + value + after, "K");
    assert.ok(!scrubbed.includes(value), scrubbed);
  }));
});

Deno.test("placeholderOf() is the key in lower case between double underscores", () => {
  assert.equal(placeholderOf("GITHUB_TOKEN"), "__github_token__");
});
