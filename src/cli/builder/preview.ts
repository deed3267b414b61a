import { serviceKeys } from "../../model/credential_refs.ts";
import type { Service } from "../../model/service.ts";
import { serializeServices } from "../services_yaml.ts";
import type { Desk } from "./desk.ts";

/** The services as YAML, and where the value of each credential that they name comes from. */
export function previewText(desk: Desk, services: readonly Service[]): string {
  const keys = [...new Set(services.flatMap((service) => serviceKeys(service)))];
  const width = Math.max(0, ...keys.map((key) => key.length));
  const lines = keys.map((key) => `  ${key.padEnd(width)}  ${source(desk, key)}`);
  const yaml = services.length === 0 ? "no services\n" : serializeServices(services);
  return `\n${yaml}${lines.length === 0 ? "" : `\ncredentials:\n${lines.join("\n")}\n`}\n`;
}

function source({ view, values }: Desk, key: string): string {
  if (values.has(key)) return "new, stored when you save";
  if (view.keys.includes(key)) return "in the vault";
  return "not in the vault yet";
}
