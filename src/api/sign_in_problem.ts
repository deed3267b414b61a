import type { FailedSignIn } from "../model/operator.ts";

/** What is wrong with an attempt to sign in, for the person, and its status. */
export interface SignInProblem {
  readonly text: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a person is told about an attempt that did not sign in. */
export function problemOf(
  outcome: FailedSignIn,
): SignInProblem {
  switch (outcome.kind) {
    case "wrong":
      return { text: "That is not it. Nothing was changed; try again.", status: 403 };
    case "unavailable":
      return { text: "Nobody can sign in here.", status: 403 };
    case "wait":
      return {
        text: `Too many attempts were wrong. The next one is looked at in ${
          duration(outcome.seconds)
        }. If they were not yours, a program on this machine is guessing.`,
        status: 429,
        headers: { "Retry-After": `${outcome.seconds}` },
      };
  }
}

function duration(seconds: number): string {
  if (seconds === 1) return "a second";
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
