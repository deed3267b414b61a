import type * as z from "zod";
import { BrokerError, type Issue } from "../errors.ts";
import { toIssues } from "../model/schema_issues.ts";

/**
 * Checks a body against a schema; a field that the schema does not know is a fault.
 *
 * @throws BrokerError `validation_failed` with every fault at once.
 */
export function parseBody<S extends z.ZodObject>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const known = { owner: "this body", fields: Object.keys(schema.shape) };
  throw invalidBody(toIssues(result.error, () => known));
}

/** The error for a body that is JSON but not what the route takes. */
export function invalidBody(issues: readonly Issue[]): BrokerError {
  const count = issues.length === 1 ? "1 fault" : `${issues.length} faults`;
  return new BrokerError("validation_failed", `Check the body: ${count}`, {
    hint: "Mend what issues names and send the request again",
    issues,
  });
}
