import type { Auth, Substitution } from "../model/service.ts";

/** A service as the catalog holds it; `{name}` in its host stands for a {@link CatalogParameter}. */
export interface ServiceTemplate {
  readonly name: string;
  readonly host: string;
  readonly auth: Auth;
  readonly substitutions?: readonly Substitution[];
}

/** A part of a host that differs from customer to customer. */
export interface CatalogParameter {
  readonly name: string;
  readonly summary: string;
  /** A value of the right shape, to show what to write. */
  readonly example: string;
}

/** Variables of the environment in which programs expect a credential. */
export interface SdkVariables {
  /** The credential key of the entry that they stand for. */
  readonly key: string;
  /** What the service's own SDKs and common tools read. */
  readonly names: readonly string[];
  /** What its values begin with; some SDKs refuse a value that does not. */
  readonly prefix?: string;
}

/** One choice of the catalog: everything that a vault needs in order to broker a product. */
export interface CatalogEntry {
  /** A slug, unique in the catalog. */
  readonly id: string;
  readonly title: string;
  /** Several where one product has several doors. */
  readonly services: readonly ServiceTemplate[];
  readonly environment: readonly SdkVariables[];
  /** Where a person gets the credential. */
  readonly obtain: { readonly url: string; readonly text: string };
  readonly parameters?: readonly CatalogParameter[];
  /** Credential keys whose value is the same for everybody and no secret, such as a fixed user name. */
  readonly constants?: Readonly<Record<string, string>>;
}
