import { readBodyBytes } from "./body_bytes.ts";
import { HttpFault } from "./http_fault.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";

/** The fields of a form; their text may be secret. */
export interface Form {
  /** The field's text, or `undefined` when it was not sent or sent twice. */
  text(name: string): string | undefined;
  /** Names of all fields, in order. */
  readonly names: readonly string[];
}

/**
 * Reads a request's body as a form that a page sent.
 *
 * @throws HttpFault `unsupported_media_type`, `request_too_large`, `bad_request`.
 */
export async function readForm(request: Request): Promise<Form> {
  const mediaType = (request.headers.get("Content-Type") ?? "").split(";", 1)[0]?.trim();
  if (mediaType?.toLowerCase() !== FORM_TYPE) {
    throw new HttpFault("unsupported_media_type", "Read the body: it is not a form", {
      hint: `Send Content-Type: ${FORM_TYPE}`,
      headers: { Accept: FORM_TYPE },
    });
  }
  const fields = new URLSearchParams(new TextDecoder().decode(await readBodyBytes(request)));
  return {
    names: [...fields.keys()],
    text(name) {
      const [value, another] = fields.getAll(name);
      return another === undefined ? value : undefined;
    },
  };
}
