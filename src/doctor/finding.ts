/** One thing that was looked at. */
export interface Finding {
  readonly area: "data" | "network";
  readonly name: string;
  /** A note is worth knowing; a fault keeps something from working. */
  readonly state: "ok" | "note" | "fault";
  /** Never a value. */
  readonly text: string;
  /** What to type or to change. */
  readonly remedy?: string;
}
