import type { Service } from "../../model/service.ts";
import { askServices } from "./ask_service.ts";
import { type Build, type Desk, INSTEAD, usedValues } from "./desk.ts";
import { editService } from "./edit_service.ts";
import { previewText } from "./preview.ts";

/**
 * Builds the services that `service add` adds, question by question.
 *
 * @throws {BrokerError} `cancelled` at Ctrl-C.
 */
export async function buildAddition(desk: Desk): Promise<Build | undefined> {
  const services = await askServices(desk, { beside: [], replaceable: desk.view.services });
  return await reviewAddition(desk, services);
}

/** Shows what would be added until it is saved, or discarded, which gives `undefined`. */
export async function reviewAddition(
  desk: Desk,
  built: readonly Service[],
): Promise<Build | undefined> {
  let services = built;
  while (true) {
    desk.show(previewText(desk, services));
    const replaced = replacedBy(desk, services);
    if (replaced !== "") desk.show(`replaces ${replaced}`);
    const next = await desk.prompts.choose<"save" | "edit" | "discard">(
      { message: `Add this to vault "${desk.view.vault}"?`, instead: INSTEAD },
      [
        { name: "save", value: "save" },
        { name: "edit", value: "edit" },
        { name: "discard", value: "discard" },
      ],
    );
    if (next === "save") return { services, values: usedValues(desk, services) };
    if (next === "discard") return undefined;
    services = await editOne(desk, services);
  }
}

async function editOne(desk: Desk, services: readonly Service[]): Promise<Service[]> {
  const [only] = services;
  const chosen = services.length === 1 && only !== undefined ? only : await desk.prompts.choose(
    { message: "Which one?", instead: INSTEAD },
    services.map((service) => ({ name: `${service.name} (${service.host})`, value: service })),
  );
  const edited = await editService(desk, chosen, {
    beside: services.filter((service) => service !== chosen),
    // A name that was chosen in order to replace a service may stay.
    replaceable: desk.view.services.filter(({ name }) => name !== chosen.name),
  });
  return services.map((service) => service === chosen ? edited : service);
}

function replacedBy({ view }: Desk, services: readonly Service[]): string {
  return view.services.filter(({ name }) => services.some((service) => service.name === name))
    .map(({ name, host }) => `the service "${name}" (${host})`).join(", ");
}
