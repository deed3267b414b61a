import { describeAuth } from "../../model/auth_text.ts";
import type { Service } from "../../model/service.ts";
import type { Choice } from "../prompt.ts";
import { askServices } from "./ask_service.ts";
import { type Build, type Desk, INSTEAD, usedValues } from "./desk.ts";
import { editService } from "./edit_service.ts";
import { previewText } from "./preview.ts";

type Step =
  | { readonly kind: "add" | "review" | "discard" }
  | { readonly kind: "one"; readonly service: Service };

/**
 * Edits the whole list that `service set` stores: add, change, remove, reorder.
 *
 * @returns `undefined` when the person discards it.
 * @throws {BrokerError} `cancelled` at Ctrl-C.
 */
export async function buildList(desk: Desk): Promise<Build | undefined> {
  return await editList(desk, desk.view.services);
}

/** As {@link buildList}, from a list that was edited before. */
export async function editList(
  desk: Desk,
  edited: readonly Service[],
): Promise<Build | undefined> {
  let services = edited;
  while (true) {
    const current = services;
    const step = await desk.prompts.search<Step>(
      { message: `Services of vault "${desk.view.vault}":`, instead: INSTEAD },
      (typed) => findSteps(current, typed.trim().toLowerCase()),
    );
    switch (step.kind) {
      case "add":
        services = [...services, ...await askServices(desk, { beside: services, replaceable: [] })];
        break;
      case "one":
        services = await changeOne(desk, services, step.service);
        break;
      case "review":
        if (await agrees(desk, services)) return { services, values: usedValues(desk, services) };
        break;
      case "discard":
        return undefined;
    }
  }
}

/** The list is typed into as well, because it may have a thousand services. */
function findSteps(services: readonly Service[], typed: string): Choice<Step>[] {
  const width = Math.max(0, ...services.map(({ name }) => name.length));
  const found = services
    .filter(({ name, host }) => `${name} ${host}`.toLowerCase().includes(typed))
    .map((service): Choice<Step> => ({
      name: `${service.name.padEnd(width)}  ${service.host}${service.enabled ? "" : " (off)"}`,
      value: { kind: "one", service },
      short: service.name,
      description: describeAuth(service.auth).replaceAll("\n", ", "),
    }));
  const actions: Choice<Step>[] = [
    { name: "add a service", value: { kind: "add" } },
    { name: "review and save", value: { kind: "review" } },
    { name: "discard", value: { kind: "discard" } },
  ];
  return typed === "" ? [...actions, ...found] : [...found, ...actions];
}

async function changeOne(
  desk: Desk,
  services: readonly Service[],
  service: Service,
): Promise<readonly Service[]> {
  const at = services.indexOf(service);
  const others = services.toSpliced(at, 1);
  const action = await desk.prompts.choose<"edit" | "up" | "down" | "remove" | "back">(
    { message: `${service.name} (${service.host})`, instead: INSTEAD },
    [
      { name: "edit", value: "edit" },
      ...at === 0 ? [] : [{ name: "move up", value: "up" as const }],
      ...at === others.length ? [] : [{ name: "move down", value: "down" as const }],
      { name: "remove", value: "remove" },
      { name: "back", value: "back" },
    ],
  );
  switch (action) {
    case "edit": {
      const names = { beside: others, replaceable: [] };
      return services.with(at, await editService(desk, service, names));
    }
    case "up":
      return others.toSpliced(at - 1, 0, service);
    case "down":
      return others.toSpliced(at + 1, 0, service);
    case "remove":
      return others;
    case "back":
      return services;
  }
}

async function agrees(desk: Desk, services: readonly Service[]): Promise<boolean> {
  desk.show(previewText(desk, services));
  const before = desk.view.services.length;
  const message = services.length === 0
    ? `Remove all ${before} services of vault "${desk.view.vault}"?`
    : `Make these the services of vault "${desk.view.vault}"?`;
  return await desk.prompts.choose<boolean>({ message, instead: INSTEAD }, [
    { name: "save", value: true },
    { name: "go on editing", value: false },
  ]);
}
