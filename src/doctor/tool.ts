/** Exit status of a one-liner whose library is not installed. */
export const MISSING_LIBRARY = 42;

/** A program or a library that people let reach the Internet. */
export interface Tool {
  readonly name: string;
  /** What has to be on `PATH`. */
  readonly program: string;
  /** Arguments that make one request to the URL; left out where it cannot be led to another server. */
  readonly attempt?: (url: string, directory: string) => readonly string[];
  /** A file that the arguments name, written into the directory first. */
  readonly file?: { readonly name: string; readonly text: (url: string) => string };
  /** What the attempt needs beyond the environment of `vault run`; the remedy says how a user gets it. */
  readonly extraEnvironment?: (environment: Readonly<Record<string, string>>) => Promise<
    Readonly<Record<string, string>>
  >;
  /** Seconds that the attempt may take; compilers need more than the usual. */
  readonly seconds?: number;
  /** What to set where it does not work, or what to know where it cannot be tried. */
  readonly remedy: string;
}

/** How a tool fared. */
export type ToolState = "works" | "works_with_remedy" | "fails" | "untried" | "missing";

/** A tool with what was found out. */
export interface ToolResult {
  readonly name: string;
  readonly state: ToolState;
  /** Why it fails, in the tool's own last words, or nothing. */
  readonly reason: string;
  readonly remedy: string;
}
