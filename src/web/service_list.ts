import { html } from "hono/html";
import type { Service } from "../model/service.ts";
import { describeAuth } from "../model/auth_text.ts";
import { csrfField, type Html, operatorRoot, type SignedIn } from "./page.ts";

/** The services of one vault, for a person who may switch them. */
export interface ServiceListView {
  readonly operator: SignedIn;
  readonly vault: string;
  readonly services: readonly Service[];
}

/** Each service with what it sends, its state, and a switch. */
export function serviceList(view: ServiceListView): Html {
  return html`<ul class="services">${view.services.map((one) => serviceItem(one, view))}</ul>`;
}

function serviceItem({ name, host, enabled, auth }: Service, view: ServiceListView): Html {
  const action = `${operatorRoot(view.operator)}/services/${encodeURIComponent(name)}`;
  return html`
    <li class="service-item">
      <div class="stack tight grow">
        <h3>${name} <span class="badge ${enabled ? "on" : ""}">${enabled ? "on" : "off"}</span></h3>
        <p class="mono small">${host}</p>
        <p class="soft small mono lines">${describeAuth(auth)}</p>
        <p class="soft small needs-script" data-count="service:${name}">no request</p>
      </div>
      <form class="inline switch" method="post" action="${action}">
    ${csrfField(view.operator)}
    <input type="hidden" name="vault" value="${view.vault}">
    <input type="hidden" name="enabled" value="${enabled ? "false" : "true"}">
    <button class="small-button" id="switch-${name}">${enabled ? "Turn off" : "Turn on"}<span
    class="unseen"> ${name}</span></button>
      </form>
      <svg class="needs-script" data-plot="service:${name}" viewBox="0 0 240 48"
        preserveAspectRatio="none"
        aria-hidden="true">
        <path class="bars" />
        <path class="failures" />
      </svg>
    </li>
  `;
}
