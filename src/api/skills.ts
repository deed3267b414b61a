import { SKILL_TEXT } from "../skill/skill.ts";
import type { Route } from "./route.ts";

/** `/v1/skills/cli`: what an agent should know, as Markdown. */
export function skillRoutes(): readonly Route[] {
  return [{
    method: "GET",
    path: "/v1/skills/cli",
    access: "anyone",
    handle: (c) => c.body(SKILL_TEXT, 200, { "Content-Type": "text/markdown; charset=utf-8" }),
  }];
}
