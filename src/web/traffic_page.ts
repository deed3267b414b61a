import { html } from "hono/html";
import type { RequestLogRow } from "../model/request_log_row.ts";
import type { Service } from "../model/service.ts";
import { type Html, operatorRoot, type SignedIn } from "./page.ts";
import { pendingList, type PendingProposal } from "./pending_list.ts";
import { serviceList } from "./service_list.ts";

/** What the page about one vault shows. */
export interface TrafficView {
  readonly operator: SignedIn;
  readonly vault: string;
  /** Names of all vaults. */
  readonly vaults: readonly string[];
  readonly services: readonly Service[];
  /** Of all vaults. */
  readonly pending: readonly PendingProposal[];
  /** Newest first. */
  readonly rows: readonly RequestLogRow[];
}

/** What a vault brokers: its services, and its requests as they come. */
export function trafficPage(view: TrafficView): Html {
  return html`
    <div class="row between">
    <h1>Vault <span class="mono">${view.vault}</span></h1>
    ${view.vaults.length > 1 ? vaultPicker(view) : ""}
    </div>
    <div id="pending">${pendingCard(view)}</div>
    <div class="columns">
      <div class="stack wide-gap">
    ${plots()}
    ${requests(view)}
      </div>
      <div class="stack wide-gap" id="state">
    ${servicesCard(view)}
      </div>
    </div>
  `;
}

function pendingCard(view: TrafficView): Html | "" {
  if (view.pending.length === 0) return "";
  return html`<section class="notice warn" aria-labelledby="pending-title">
<h2 id="pending-title">Waiting for you</h2>${pendingList(view.pending, view)}</section>`;
}

function vaultPicker({ operator, vault, vaults }: TrafficView): Html {
  return html`
    <form class="inline" method="get" action="${operatorRoot(operator)}/">
      <label class="unseen" for="vault">Vault</label>
      <select id="vault" name="vault">${vaults.map((name) =>
        html`<option${
          name === vault
            ? html`
              selected
            `
            : ""
        }>${name}</option>`
      )}</select>
      <button>Show</button>
    </form>
  `;
}

const BARS = html`
  <path class="bars" />
  <path class="failures" />
`;
const LINE = html`
  <path class="line" />
`;
const FAILURES = html`
  <path class="failures" />
`;

/** Filled in by the script; without it there is nothing to plot. */
function plots(): Html {
  return html`<section class="plots needs-script" aria-label="The last two minutes">
${plot("all", "Requests in two minutes", "total", BARS)}
${plot("latency", "Median latency", "latency", LINE)}
${plot("failed", "Failed or refused", "failed", FAILURES)}
</section>`;
}

function plot(name: string, title: string, count: string, paths: Html): Html {
  return html`
    <div class="plot">
      <p class="soft small">${title}</p>
      <p class="number" data-count="${count}">–</p>
      <svg data-plot="${name}" viewBox="0 0 240 48" preserveAspectRatio="none"
        aria-hidden="true">${paths}</svg>
    </div>
  `;
}

function requests(view: TrafficView): Html {
  return html`<section class="card" aria-labelledby="requests-title">
<div class="row between"><h2 id="requests-title">Requests</h2>
<div class="row needs-script"><span id="stream-status" role="status" data-state="waiting">Connecting …</span>
<button class="small-button" id="pause" type="button" aria-pressed="false">Pause</button></div></div>
${filterForm(view)}
<p class="notice warn" id="dropped" role="status" hidden></p>
<div class="scroll" tabindex="0" role="region" aria-labelledby="requests-title">
<table id="requests">
<thead><tr><th scope="col">Time</th><th scope="col">Status</th><th scope="col">Method</th>
<th scope="col">Address</th><th scope="col">Service</th><th scope="col">Latency</th>
<th scope="col" class="size">Answer</th><th scope="col" class="actor">Actor</th></tr></thead>
<tbody>${view.rows.map(requestRow)}</tbody>
</table>
</div>
<p class="soft" id="no-rows"${
    view.rows.length === 0 ? "" : html`
      hidden
    `
  }>No request yet. It appears here
when a program that the broker started makes one.</p>
<noscript><p class="soft">Reload the page to see newer requests.</p></noscript>
</section>`;
}

function filterForm({ services }: TrafficView): Html {
  return html`
    <form id="filter" class="filter" hidden>
      <label class="unseen" for="filter-text">Search</label>
      <input id="filter-text" name="text" type="search" placeholder="Search host, path, error, actor …">
      <label class="unseen" for="filter-service">Service</label>
      <select id="filter-service"
        name="service"><option value="">All services</option>${services.map(({ name }) =>
          html`<option>${name}</option>`
        )}<option value="-">No service</option></select>
      <label class="unseen" for="filter-outcome">Outcome</label>
      <select id="filter-outcome" name="outcome"><option value="">Every outcome</option>
    <option value="failed">Failed or refused</option><option value="refused">Refused by the broker</option>
    <option>2xx</option><option>3xx</option><option>4xx</option><option>5xx</option></select>
    </form>
  `;
}

/** One row as the page comes; the script makes later ones alike. */
function requestRow(row: RequestLogRow): Html {
  const failed = row.errorCode !== undefined || row.status === 0 || row.status >= 400;
  const address = row.host + row.path;
  const time = new Date(row.createdAt).toISOString();
  return html`
    <tr class="${failed ? "failed" : ""}">
      <td class="time" title="${time}">${time.slice(11, 19)}</td>
      <td class="status">${row.errorCode ?? (row.status === 0 ? "left" : row.status)}</td>
      <td class="method">${row.method}</td>
      <td class="url" title="${address}">${address}</td>
      <td class="service">${row.matchedService ?? "–"}</td>
      <td class="latency">${row.latencyMs} ms</td>
      <td class="size">${row.responseBytes} B</td>
      <td class="actor">${row.actorName ?? "–"}</td>
    </tr>
  `;
}

function servicesCard(view: TrafficView): Html {
  return html`<section class="card" aria-labelledby="services">
<h2 id="services">Services</h2>
${
    view.services.length === 0
      ? html`<p class="soft">None yet. To add one: <code>broker vault service add</code></p>`
      : serviceList(view)
  }
</section>`;
}
