/** Character classes of RFC 9110 section 5 as lookup tables over bytes. */

export const CR = 0x0d;
export const LF = 0x0a;
export const SP = 0x20;
export const HTAB = 0x09;
export const COLON = 0x3a;

/** 1 for `tchar` (RFC 9110 section 5.6.2): what methods and field names are made of. */
export const IS_TOKEN: Uint8Array = tableOf((byte) =>
  /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte))
);

/** 1 for what may stand in a field value: `field-vchar`, blank and tab (RFC 9110 section 5.5). */
export const IS_FIELD_VALUE: Uint8Array = tableOf((byte) =>
  byte === HTAB || (byte >= SP && byte !== 0x7f)
);

/**
 * 1 for what may stand in a request target. Wider than RFC 3986, because clients send quotes, braces
 * and raw UTF-8 as they were typed; blanks and control characters would change where the target ends.
 */
export const IS_TARGET: Uint8Array = tableOf((byte) => byte > SP && byte !== 0x7f);

/** The value of a hexadecimal digit, or 255. */
export const HEX_VALUE: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 255 : value;
});

function tableOf(belongs: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => belongs(byte) ? 1 : 0);
}
