import { BrokerError } from "../errors.ts";

/** Longest credential key, in characters (interfaces: Auth objects). */
export const CREDENTIAL_KEY_MAX = 128;

const UPPER_SNAKE_CASE = /^[A-Z][A-Z0-9_]*$/;

/** True for a credential key: UPPER_SNAKE_CASE, at most 128 characters. */
export function isCredentialKey(text: string): boolean {
  return text.length <= CREDENTIAL_KEY_MAX && UPPER_SNAKE_CASE.test(text);
}

/**
 * What is wrong with a credential key, or `undefined` when nothing is. The text itself is left out:
 * where a key is asked for, people paste the value.
 */
export function credentialKeyIssue(text: string): string | undefined {
  if (isCredentialKey(text)) return undefined;
  if (text === "") return 'The credential key is empty: write one such as "GITHUB_TOKEN"';
  if (UPPER_SNAKE_CASE.test(text)) {
    return `The credential key has ${text.length} characters: write at most ${CREDENTIAL_KEY_MAX}`;
  }
  return "A credential key is capital letters, digits and underscores and begins with a letter: " +
    'write the key\'s name, such as "GITHUB_TOKEN", never its value';
}

/**
 * Reads a credential key.
 *
 * @throws BrokerError `validation_failed` when it is no UPPER_SNAKE_CASE text of at most 128 characters.
 */
export function parseCredentialKey(input: unknown): string {
  const issue = typeof input === "string"
    ? credentialKeyIssue(input)
    : 'The credential key must be text such as "GITHUB_TOKEN"';
  if (issue === undefined) return input as string;
  throw new BrokerError("validation_failed", issue, {
    hint: "broker vault credential set GITHUB_TOKEN",
    issues: [{ path: [], message: issue }],
  });
}
