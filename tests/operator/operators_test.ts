import assert from "node:assert/strict";
import { Secret } from "../../src/model/secret.ts";
import { Operators, type OperatorsOptions } from "../../src/operator/operators.ts";
import { IDLE_LIMIT_MS, LIFE_LIMIT_MS } from "../../src/operator/operator_sessions.ts";
import { TOKEN_LIFE_MS } from "../../src/operator/operator_tokens.ts";
import { SignInCode } from "../../src/operator/sign_in_code.ts";

const RIGHT = new Secret("correct horse");
const USE = { use: true };
const WRONG = new Secret("staple");

/** Operators of a home with a passphrase, and a clock that the test moves. */
function withPassphrase(change: Partial<OperatorsOptions> = {}) {
  const clock = { now: 1_000_000 };
  const compared: string[] = [];
  const operators = new Operators({
    now: () => clock.now,
    hasPassphrase: () => true,
    isPassphrase(typed) {
      compared.push(typed.reveal());
      return Promise.resolve(typed.reveal() === RIGHT.reveal());
    },
    ...change,
  });
  return { operators, clock, compared };
}

async function signIn(operators: Operators, typed = RIGHT) {
  const outcome = await operators.signIn(typed);
  assert.ok(outcome.kind === "signed_in", outcome.kind);
  return outcome.session;
}

Deno.test("a session is found by its path and its token together only", async () => {
  const { operators } = withPassphrase();
  const [one, other] = [await signIn(operators), await signIn(operators)];
  assert.match(one.token.reveal(), /^brk_op_[\w-]{43}$/);
  assert.match(one.path, /^[\w-]{22}$/);
  assert.equal(operators.find(one.path, one.token.reveal(), USE)?.csrf, one.csrf);
  assert.equal(operators.find(one.path, other.token.reveal(), USE), undefined);
  assert.equal(operators.find("A".repeat(22), one.token.reveal(), USE), undefined);
  assert.equal(operators.find(one.path, "", USE), undefined);
  assert.notEqual(one.csrf, other.csrf);
});

Deno.test("a browser's token is no bearer token of the operator", async () => {
  const { operators } = withPassphrase();
  assert.equal(operators.has((await signIn(operators)).token.reveal()), false);
});

Deno.test("a program's token is the operator's for an hour, or until it is taken back", async () => {
  const { operators, clock } = withPassphrase();
  const tokens: string[] = [];
  for (let i = 0; i < 2; i++) {
    const outcome = await operators.signInProgram(RIGHT);
    assert.ok(outcome.kind === "signed_in", outcome.kind);
    assert.match(outcome.session.token.reveal(), /^brk_op_[\w-]{43}$/);
    assert.equal(outcome.session.expiresAt, clock.now + TOKEN_LIFE_MS);
    tokens.push(outcome.session.token.reveal());
  }
  const [one = "", other = ""] = tokens;
  operators.endToken(one);
  assert.deepEqual([operators.has(one), operators.has(other)], [false, true]);
  assert.equal(operators.find("", other, USE), undefined);
  clock.now += TOKEN_LIFE_MS;
  assert.equal(operators.has(other), false);
});

Deno.test("programs and people share the count of wrong attempts", async () => {
  const { operators } = withPassphrase();
  for (let i = 0; i < 5; i++) {
    assert.equal((await operators.signInProgram(WRONG)).kind, "wrong");
  }
  assert.equal((await operators.signIn(RIGHT)).kind, "wait");
});

Deno.test("a session ends after half an hour without use, and after twelve hours with it", async () => {
  const { operators, clock } = withPassphrase();
  const idle = await signIn(operators);
  clock.now += IDLE_LIMIT_MS - 1;
  assert.ok(operators.find(idle.path, idle.token.reveal(), USE));
  clock.now += IDLE_LIMIT_MS - 1;
  assert.ok(operators.isCurrent(idle.path), "asking is no use");
  assert.ok(operators.find(idle.path, idle.token.reveal(), { use: false }));
  clock.now += 1;
  assert.equal(operators.find(idle.path, idle.token.reveal(), USE), undefined);

  const busy = await signIn(operators);
  const end = clock.now + LIFE_LIMIT_MS;
  while (clock.now + IDLE_LIMIT_MS / 2 < end) {
    clock.now += IDLE_LIMIT_MS / 2;
    assert.ok(operators.find(busy.path, busy.token.reveal(), USE));
  }
  clock.now = end;
  assert.equal(operators.find(busy.path, busy.token.reveal(), USE), undefined);
});

Deno.test("signing out ends this session and no other", async () => {
  const { operators } = withPassphrase();
  const [one, other] = [await signIn(operators), await signIn(operators)];
  operators.signOut(one.path);
  assert.equal(operators.find(one.path, one.token.reveal(), USE), undefined);
  assert.equal(operators.isCurrent(one.path), false);
  assert.ok(operators.find(other.path, other.token.reveal(), USE));
});

Deno.test("the browser that was unused longest makes room for the seventeenth", async () => {
  const { operators } = withPassphrase();
  const sessions = [];
  for (let count = 0; count < 16; count++) sessions.push(await signIn(operators));
  assert.ok(operators.find(sessions[0]!.path, sessions[0]!.token.reveal(), USE));
  await signIn(operators);
  assert.deepEqual(
    sessions.map(({ path }) => operators.isCurrent(path)),
    sessions.map((_, index) => index !== 1),
  );
});

Deno.test("wrong attempts make everybody wait, twice as long each time, the right passphrase too", async () => {
  const { operators, clock, compared } = withPassphrase();
  for (let count = 0; count < 5; count++) {
    assert.deepEqual(await operators.signIn(WRONG), { kind: "wrong" });
  }
  for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
    assert.deepEqual(await operators.signIn(RIGHT), { kind: "wait", seconds });
    clock.now += seconds * 1000 - 1;
    assert.deepEqual(await operators.signIn(RIGHT), { kind: "wait", seconds: 1 });
    clock.now += 1;
    assert.deepEqual(await operators.signIn(WRONG), { kind: "wrong" });
  }
  assert.equal(compared.length, 13, "an attempt that has to wait is not compared");
  clock.now += 300_000;
  await signIn(operators);
  assert.deepEqual(await operators.signIn(WRONG), { kind: "wrong" }, "the count starts anew");
  await signIn(operators);
});

Deno.test("wrong attempts are forgotten after a quiet hour", async () => {
  const { operators, clock } = withPassphrase();
  for (let count = 0; count < 5; count++) await operators.signIn(WRONG);
  clock.now += 60 * 60_000;
  for (let count = 0; count < 5; count++) {
    assert.deepEqual(await operators.signIn(WRONG), { kind: "wrong" });
  }
});

Deno.test("two attempts are never compared at once", async () => {
  const compare = Promise.withResolvers<boolean>();
  let running = 0;
  const { operators } = withPassphrase({
    isPassphrase: () => (running++, compare.promise),
  });
  const first = operators.signIn(RIGHT);
  assert.deepEqual(await operators.signIn(RIGHT), { kind: "wait", seconds: 1 });
  assert.equal(running, 1);
  compare.resolve(true);
  assert.equal((await first).kind, "signed_in");
});

Deno.test("an attempt that fails for another reason leaves the way free for the next", async () => {
  let broken = true;
  const { operators } = withPassphrase({
    isPassphrase: () => broken ? Promise.reject(new Error("disk")) : Promise.resolve(true),
  });
  await assert.rejects(() => operators.signIn(RIGHT), /disk/);
  broken = false;
  await signIn(operators);
});

Deno.test("a code has fifty bits in two groups and is read as people write it", () => {
  const codes = new Set<string>();
  for (let count = 0; count < 100; count++) {
    const code = new SignInCode();
    const text = code.text.reveal();
    assert.match(text, /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
    codes.add(text);
    const plain = text.replace("-", "");
    const misread = text.replaceAll("0", "o").replaceAll("1", "l");
    for (
      const typed of [text, plain, text.toLowerCase(), ` ${text.replace("-", " – ")} `, misread]
    ) {
      assert.ok(code.matches(new Secret(typed)), typed);
    }
    for (
      const typed of ["", "-", plain.slice(1), `${plain}0`, [...plain].reverse().join("") + "Z"]
    ) {
      assert.equal(code.matches(new Secret(typed)), false, typed);
    }
  }
  assert.equal(codes.size, 100);
});

Deno.test("a code signs in more than once, until the home gets a passphrase", async () => {
  const code = new SignInCode();
  let protectedNow = false;
  const { operators, compared } = withPassphrase({ code, hasPassphrase: () => protectedNow });
  assert.equal(operators.method(), "code");
  await signIn(operators, code.text);
  await signIn(operators, code.text);
  assert.deepEqual(await operators.signIn(RIGHT), { kind: "wrong" });
  assert.deepEqual(compared, []);
  protectedNow = true;
  assert.equal(operators.method(), "passphrase");
  assert.deepEqual(await operators.signIn(code.text), { kind: "wrong" });
  await signIn(operators);
});

Deno.test("without a passphrase and without a code nobody signs in, and nothing is compared", async () => {
  const { operators, compared } = withPassphrase({ hasPassphrase: () => false });
  assert.equal(operators.method(), "none");
  assert.deepEqual(await operators.signIn(RIGHT), { kind: "unavailable" });
  assert.deepEqual(compared, []);
});

Deno.test("nothing typed, and a text longer than any passphrase, are wrong without a comparison", async () => {
  const { operators, compared } = withPassphrase();
  for (const text of ["", "x".repeat(2000)]) {
    assert.deepEqual(await operators.signIn(new Secret(text)), { kind: "wrong" });
  }
  assert.deepEqual(compared, []);
});
