import type { Secret } from "../model/secret.ts";
import type { Substitution, Surface } from "../model/service.ts";
import { type BodySubstitution, compileBody } from "./body_surface.ts";
import { ByteReplacer } from "./byte_replacer.ts";
import { ClientFrameRewriter, type FillRandom } from "./client_frame_rewriter.ts";
import { compileHeader, type HeaderSubstitution } from "./header_surface.ts";
import type { Replacement } from "./replacement.ts";
import {
  compilePath,
  compileQuery,
  type PathSubstitution,
  type QuerySubstitution,
} from "./target_surfaces.ts";

/** Begins the replacement in one WebSocket connection's frames from the client. */
export type WebSocketSubstitution = (fillRandom: FillRandom) => ClientFrameRewriter;

/** The surfaces that some entry lists; one that none lists is absent and must not be touched. */
export interface Surfaces {
  readonly path?: PathSubstitution;
  readonly query?: QuerySubstitution;
  readonly header?: HeaderSubstitution;
  readonly body?: BodySubstitution;
  readonly websocket?: WebSocketSubstitution;
}

/** A service's substitutions made ready, with every credential key that they name, once each. */
export type CompiledSubstitutions =
  | { readonly kind: "none" }
  | {
    readonly kind: "missing";
    /** The keys that the vault does not hold. */
    readonly missing: readonly string[];
    readonly keys: readonly string[];
  }
  | ({ readonly kind: "ready"; readonly keys: readonly string[] } & Surfaces);

/**
 * Compiles a service's substitutions (spec: Substitutions). A key that the vault does not hold makes the
 * whole `missing`, whatever surface it is for: such a request is refused before anything goes upstream.
 *
 * @param substitutions Entries that the model accepted.
 */
export function compileSubstitutions(
  substitutions: readonly Substitution[],
  credential: (key: string) => Secret | undefined,
): CompiledSubstitutions {
  if (substitutions.length === 0) return { kind: "none" };
  const values = new Map<string, Secret | undefined>();
  for (const { key } of substitutions) values.set(key, credential(key));
  const keys = [...values.keys()];
  const missing = keys.filter((key) => values.get(key) === undefined);
  if (missing.length > 0) return { kind: "missing", missing, keys };

  function on<S>(
    surface: Surface,
    compile: (replacements: readonly Replacement[]) => S,
  ): S | undefined {
    const replacements = substitutions
      .filter((entry) => entry.in.includes(surface))
      .map(({ key, placeholder }) => ({ key, placeholder, value: values.get(key)!.reveal() }));
    return replacements.length === 0 ? undefined : compile(replacements);
  }

  const path = on("path", compilePath);
  const query = on("query", compileQuery);
  const header = on("header", compileHeader);
  const body = on("body", compileBody);
  const websocket = on("websocket", compileWebSocket);
  return {
    kind: "ready",
    keys,
    ...(path && { path }),
    ...(query && { query }),
    ...(header && { header }),
    ...(body && { body }),
    ...(websocket && { websocket }),
  };
}

/** Compiles the `websocket` surface: a frame has no media type, so values are written as they are. */
function compileWebSocket(replacements: readonly Replacement[]): WebSocketSubstitution {
  const replacer = new ByteReplacer(replacements);
  return (fillRandom) => new ClientFrameRewriter(replacer, fillRandom);
}
