import type { RequestLogFilter } from "../model/request_log_query.ts";
import type { SqlValue } from "./database.ts";

/** A part of a WHERE clause that begins with AND, or is empty. */
export interface Conditions {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Everything that a filter asks of a row and its shape. */
export function conditions(filter: RequestLogFilter): Conditions {
  const { shapes, times } = splitConditions(filter);
  return { sql: `${shapes.sql} ${times.sql}`, values: [...shapes.values, ...times.values] };
}

/** What the shapes decide, and what each row does. */
export function splitConditions(
  filter: RequestLogFilter,
): { shapes: Conditions; times: Conditions } {
  const { vault, nobodys, service, actor, host, status, since, until } = filter;
  const shape: [sql: string, ...values: SqlValue[]][] = [];
  if (vault !== undefined) {
    shape.push([nobodys === true ? "(vault = ? OR vault IS NULL)" : "vault = ?", vault]);
  }
  if (service !== undefined) shape.push(["service = ?", service]);
  if (actor !== undefined) shape.push(["actor_name = ?", actor]);
  if (host !== undefined) shape.push(["host = ?", host]);
  if (status !== undefined) shape.push(["status BETWEEN ? AND ?", status.first, status.last]);
  const time: [sql: string, ...values: SqlValue[]][] = [];
  if (since !== undefined) time.push(["created_at >= ?", since]);
  if (until !== undefined) time.push(["created_at < ?", until]);
  const join = (parts: typeof shape): Conditions => ({
    sql: parts.map(([sql]) => `AND ${sql}`).join(" "),
    values: parts.flatMap(([, ...values]) => values),
  });
  return { shapes: join(shape), times: join(time) };
}
