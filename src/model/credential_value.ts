import { BrokerError } from "../errors.ts";

/** Longest credential value, in UTF-8 bytes: what fits a header field that common servers still accept. */
export const CREDENTIAL_VALUE_MAX_BYTES = 16 * 1024;

const CONTROL_NAMES: Readonly<Record<number, string>> = {
  0x00: "NUL",
  0x09: "a tab",
  0x0a: "a line feed",
  0x0d: "a carriage return",
  0x7f: "DEL",
};

/**
 * Checks that a credential's value can be sent in a header field: some text, no control characters, and
 * at most 16 KiB. CR, LF and NUL would let the value end its field and begin another.
 *
 * @throws BrokerError `validation_failed`; its message names the key and the fault and never holds any
 * part of the value.
 */
export function checkCredentialValue(key: string, value: string): void {
  const fault = valueFault(value);
  if (fault === undefined) return;
  const message = `Refuse the value of "${key}": ${fault.text}`;
  throw new BrokerError("validation_failed", message, {
    hint: fault.hint ?? `broker vault credential set ${key}`,
    issues: [{ path: [key], message: fault.text }],
  });
}

function valueFault(value: string): { text: string; hint?: string } | undefined {
  if (value.trim() === "") return { text: "it is empty" };
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code >= 0x20 && code !== 0x7f) continue;
    const name = CONTROL_NAMES[code] ?? "a control character";
    const isTrailingBreak = (code === 0x0a || code === 0x0d) && /^[\r\n]+$/.test(value.slice(at));
    if (isTrailingBreak) {
      return {
        text: `it ends with ${name}`,
        hint: 'Pipe it without a line break: printf %s "..."',
      };
    }
    return { text: `it holds ${name}, which no header field can carry` };
  }
  if (!value.isWellFormed()) return { text: "it is not valid Unicode text" };
  const bytes = new TextEncoder().encode(value).length;
  if (bytes > CREDENTIAL_VALUE_MAX_BYTES) {
    return { text: `it has ${bytes} bytes, more than ${CREDENTIAL_VALUE_MAX_BYTES}` };
  }
  return undefined;
}
