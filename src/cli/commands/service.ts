import { serviceKeys } from "../../model/credential_refs.ts";
import type { Service } from "../../model/service.ts";
import type { Invocation } from "../command_spec.ts";
import { chooseVault, openHome } from "../home.ts";
import { resolveService } from "../service_choice.ts";

/** Lists the vault's services in the order of their declaration. */
export async function listServices({ context, options }: Invocation): Promise<void> {
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const services = store.services.list(vault);
  const { output } = context;
  if (options["yaml"] === true) {
    const { serializeServices } = await import("../services_yaml.ts");
    output.data(serializeServices(services));
    return;
  }
  output.print({ vault, services: services.map(serviceDocument) }, () => {
    if (services.length === 0) {
      output.note(`vault "${vault}" has no services (to add one: broker vault service add --help)`);
      return;
    }
    output.table(
      [{ title: "NAME" }, { title: "HOST" }, { title: "AUTH" }, { title: "KEYS" }, { title: "" }],
      services.map((service) => [
        service.name,
        service.host,
        service.auth.type,
        serviceKeys(service).join(" ") || "-",
        service.enabled ? "" : "disabled",
      ]),
    );
  });
}

/** Shows one service. */
export async function showService({ context, positionals }: Invocation): Promise<void> {
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const service = resolveService(store, vault, {
    nameOrHost: positionals[0] ?? "",
    command: "broker vault service show",
  });
  const { serializeServices } = await import("../services_yaml.ts");
  context.output.print({ vault, service: serviceDocument(service) }, () => {
    context.output.data(serializeServices([service]));
  });
}

/** Removes a service. */
export async function removeService(
  { context, positionals, options }: Invocation,
): Promise<number | void> {
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const { name, host } = resolveService(store, vault, {
    nameOrHost: positionals[0] ?? "",
    command: "broker vault service remove",
  });
  if (options["yes"] !== true) {
    const agreed = await context.prompts.confirm({
      message: `Remove service "${name}" (${host}) from vault "${vault}"?`,
      instead: `broker vault service remove ${name} --yes`,
    });
    if (!agreed) {
      context.output.note("nothing was changed");
      return 1;
    }
  }
  store.services.remove(vault, name);
  const left = store.services.list(vault).length;
  context.output.print(
    { vault, removed: name, removed_host: host, services_count: left },
    () => context.output.note(`removed service "${name}" (${host}) from vault "${vault}"`),
  );
}

/** Switches a service on. */
export async function enableService(invocation: Invocation): Promise<void> {
  await setEnabled(invocation, true);
}

/** Switches a service off. */
export async function disableService(invocation: Invocation): Promise<void> {
  await setEnabled(invocation, false);
}

/** Removes all services. */
export async function clearServices({ context, options }: Invocation): Promise<number | void> {
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  if (options["yes"] !== true) {
    const count = store.services.list(vault).length;
    const agreed = await context.prompts.confirm({
      message: `Remove all ${count} services of vault "${vault}"? Every request will then get 403`,
      instead: "broker vault service clear --yes",
    });
    if (!agreed) {
      context.output.note("nothing was changed");
      return 1;
    }
  }
  store.services.clear(vault);
  context.output.print({ vault, cleared: true }, () => {
    context.output.note(
      `removed all services of vault "${vault}"; every request gets 403 until there is one again`,
    );
  });
}

async function setEnabled({ context, positionals }: Invocation, enabled: boolean): Promise<void> {
  using store = await openHome(context);
  const vault = chooseVault(context, store);
  const { name } = resolveService(store, vault, {
    nameOrHost: positionals[0] ?? "",
    command: `broker vault service ${enabled ? "enable" : "disable"}`,
  });
  store.services.setEnabled(vault, name, enabled);
  const service = store.services.resolve(vault, name);
  context.output.print({ vault, service: serviceDocument(service) }, () => {
    context.output.note(
      enabled
        ? `service "${name}" is enabled`
        : `service "${name}" is disabled; its requests get 403 service_disabled`,
    );
  });
}

/** A service as every JSON document shows it. */
function serviceDocument({ name, host, enabled, auth, substitutions }: Service) {
  return { name, host, enabled, auth, substitutions };
}
