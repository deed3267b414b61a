import type { RequestLogRow } from "./request_log_row.ts";

/** A row as the API and `--json` show it (interfaces: Log row). */
export function serializeLogRow(row: RequestLogRow) {
  return {
    id: row.id,
    created_at: new Date(row.createdAt).toISOString(),
    ingress: row.ingress,
    method: row.method,
    host: row.host,
    path: row.path,
    matched_service: row.matchedService ?? null,
    credential_keys: row.credentialKeys,
    status: row.status,
    latency_ms: Math.round(row.latencyMs * 1000) / 1000,
    request_bytes: row.requestBytes,
    response_bytes: row.responseBytes,
    error_code: row.errorCode ?? null,
    actor_type: row.actorType ?? null,
    actor_name: row.actorName ?? null,
  };
}
