import type { HeaderField, HeaderList } from "../http1/headers.ts";
import type { ReadyAuth } from "./auth_slot.ts";

/**
 * Puts the injected fields into a request's headers (spec: Header forwarding, 3). Every copy of a slot
 * that the client sent goes, whatever its case and number; the injected field stands where the first
 * copy stood, else at the end. All other fields stay as they are, in their order.
 */
export function applyAuth(headers: HeaderList, auth: ReadyAuth): HeaderList {
  const { fields, slotNames } = auth;
  if (fields.length === 0) return headers;
  const result: HeaderField[] = [];
  const placed = new Set<string>();
  for (const header of headers) {
    const name = header[0].toLowerCase();
    if (!slotNames.has(name)) {
      result.push(header);
    } else if (!placed.has(name)) {
      placed.add(name);
      result.push(...fields.filter((field) => field[0].toLowerCase() === name));
    }
  }
  for (const field of fields) {
    if (!placed.has(field[0].toLowerCase())) result.push(field);
  }
  return result;
}
