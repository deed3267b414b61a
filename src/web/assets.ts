/**
 * What the pages load, kept inside the program and served under names that hold a hash, so that a page
 * and its script are always of one version. Nothing is loaded from elsewhere.
 */
import { createHash } from "node:crypto";
import approvalStyle from "./approval.css" with { type: "text" };
import approval from "./client/approval.js" with { type: "text" };
import signIn from "./client/sign_in.js" with { type: "text" };
import traffic from "./client/traffic.js" with { type: "text" };
import trafficView from "./client/traffic_view.js" with { type: "text" };
import frameStyle from "./frame.css" with { type: "text" };
import trafficStyle from "./traffic.css" with { type: "text" };

/** One file that a page loads. */
export interface Asset {
  readonly path: string;
  readonly mediaType: string;
  readonly text: string;
}

/** Characters of the hash in a name. */
const HASH_LENGTH = 12;

/** The style of every page. */
export const STYLE = asset("style", "css", [frameStyle, approvalStyle, trafficStyle].join("\n"));

/** Loaded by every page. */
export const SIGN_IN_SCRIPT = asset("sign_in", "js", signIn);

/** Watches what a page about a proposal shows. */
export const APPROVAL_SCRIPT = asset("approval", "js", approval);

const TRAFFIC_VIEW = asset("traffic_view", "js", trafficView);

/** What moves on the traffic page. */
export const TRAFFIC_SCRIPT = asset(
  "traffic",
  "js",
  // A script imports another under the name that it is served by.
  traffic.replace("./traffic_view.js", TRAFFIC_VIEW.path),
);

const ALL: ReadonlyMap<string, Asset> = new Map(
  [STYLE, SIGN_IN_SCRIPT, APPROVAL_SCRIPT, TRAFFIC_VIEW, TRAFFIC_SCRIPT].map((
    one,
  ) => [one.path, one]),
);

/** The asset of a path such as `/assets/style.0123456789ab.css`. */
export function findAsset(path: string): Asset | undefined {
  return ALL.get(path);
}

function asset(name: string, type: "css" | "js", text: string): Asset {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, HASH_LENGTH);
  return {
    path: `/assets/${name}.${hash}.${type}`,
    mediaType: type === "css" ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
    text,
  };
}
