/**
 * Header fields are ordered `[name, value]` pairs, exactly as they stood on the wire: order, case and
 * repetitions are kept, because "unchanged" (spec: Header forwarding) means unchanged. One character is
 * one byte (ISO-8859-1), so that any value survives reading and writing. Lists are never edited in
 * place: who changes a list builds a new one.
 */

/** One header field: the name in its own case, and the value without surrounding blanks. */
export type HeaderField = readonly [name: string, value: string];

/** The fields of one message in their order. */
export type HeaderList = readonly HeaderField[];

/** Every value of a field, in order, whatever the case of its name. */
export function headerValues(headers: HeaderList, lowerCaseName: string): string[] {
  const values: string[] = [];
  for (const [name, value] of headers) {
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) {
      values.push(value);
    }
  }
  return values;
}
