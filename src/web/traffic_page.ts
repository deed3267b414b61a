import { html } from "hono/html";
import type { Service } from "../model/service.ts";
import { describeAuth } from "./auth_text.ts";
import { csrfField, type Html, operatorRoot, type SignedIn } from "./page.ts";

/** What the page about one vault shows. */
export interface TrafficView {
  readonly operator: SignedIn;
  readonly vault: string;
  /** Names of all vaults. */
  readonly vaults: readonly string[];
  readonly services: readonly Service[];
}

/** What a vault brokers. */
export function trafficPage(view: TrafficView): Html {
  return html`<div class="row between">
<h1>Vault <span class="mono">${view.vault}</span></h1>
${view.vaults.length > 1 ? vaultPicker(view) : ""}
</div>
${servicesCard(view)}`;
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

function servicesCard(view: TrafficView): Html {
  return html`<section class="card" aria-labelledby="services">
<h2 id="services">Services</h2>
${
    view.services.length === 0
      ? html`<p class="soft">None yet. To add one: <code>broker vault service add</code></p>`
      : html`<ul class="plain services">${view.services.map((one) => serviceRow(one, view))}</ul>`
  }
</section>`;
}

function serviceRow({ name, host, enabled, auth }: Service, view: TrafficView): Html {
  const action = `${operatorRoot(view.operator)}/services/${encodeURIComponent(name)}`;
  return html`
    <li class="service" data-service="${name}">
      <div class="stack tight">
        <h3>${name} <span class="badge ${enabled ? "on" : ""}">${enabled ? "on" : "off"}</span></h3>
        <p class="mono small">${host}</p>
        <p class="soft small mono lines">${describeAuth(auth)}</p>
      </div>
      <form class="inline" method="post" action="${action}">
    ${csrfField(view.operator)}
    <input type="hidden" name="vault" value="${view.vault}">
    <input type="hidden" name="enabled" value="${enabled ? "false" : "true"}">
    <button>${enabled ? "Turn off" : "Turn on"}<span class="unseen"> ${name}</span></button>
      </form>
    </li>
  `;
}
