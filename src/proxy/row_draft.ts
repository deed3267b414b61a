import type { Ingress, RequestLogRow } from "../model/request_log_row.ts";
import type { Access } from "./access.ts";
import type { CompiledService } from "./compiled_vault.ts";

/** A row of the request log while its request is under way. */
export class RowDraft {
  readonly id = crypto.randomUUID();
  readonly #createdAt = Date.now();
  readonly #started = performance.now();
  readonly #ingress: Ingress;
  #method = "-";
  #host = "-";
  #path = "-";
  #access: Access | undefined;
  #service: CompiledService | undefined;
  #disabledService: string | undefined;
  /** What the client was answered; 0 while it was not. */
  status = 0;
  requestBytes = 0;
  responseBytes = 0;
  errorCode: string | undefined;

  constructor(ingress: Ingress) {
    this.#ingress = ingress;
  }

  /** Names what was asked for. A query never gets here. */
  describe(request: { method: string; host: string; path: string }): void {
    this.#method = request.method;
    this.#host = request.host;
    this.#path = request.path;
  }

  set access(access: Access) {
    this.#access = access;
  }

  set service(service: CompiledService | undefined) {
    this.#service = service;
  }

  /** Names the service that the request was for and that is switched off: no key of it was used. */
  set disabledService(name: string) {
    this.#disabledService = name;
  }

  /** The row as it stands now, its latency taken. */
  finish(): RequestLogRow {
    return {
      id: this.id,
      createdAt: this.#createdAt,
      vault: this.#access?.vault.name,
      ingress: this.#ingress,
      method: this.#method,
      host: this.#host,
      path: this.#path,
      matchedService: this.#service?.service.name ?? this.#disabledService,
      credentialKeys: this.#service?.keys ?? [],
      status: this.status,
      latencyMs: performance.now() - this.#started,
      requestBytes: this.requestBytes,
      responseBytes: this.responseBytes,
      errorCode: this.errorCode,
      actorType: this.#access?.caller.actorType,
      actorName: this.#access?.caller.actorName,
    };
  }
}
