/** A column of {@link formatTable}. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

/** How {@link formatTable} fits its lines. */
export interface TableLayout {
  /** Characters a line may have; `Infinity` where nobody looks at line ends. */
  readonly width: number;
  /** Marks a title up, such as with bold; called after padding. */
  readonly title?: (text: string) => string;
}

/** Blanks between two columns. */
const GAP = "  ";

/**
 * Lays rows out in aligned columns with a title line. Where a row is wider than the terminal, every row
 * becomes a block of `TITLE  value` lines instead: nothing is cut off, so that a name can still be copied.
 * Control characters show as `\xNN`, because a cell may hold what somebody else wrote.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  layout: TableLayout,
): string[] {
  const cells = rows.map((row) => columns.map((_, index) => printable(row[index] ?? "")));
  const widths = columns.map((column, index) =>
    Math.max(column.title.length, ...cells.map((row) => length(row[index] ?? "")))
  );
  const total = widths.reduce((sum, width) => sum + width, 0) + GAP.length * (columns.length - 1);
  const markTitle = layout.title ?? ((text: string) => text);
  if (total > layout.width) return blocks(columns, cells, markTitle);
  const line = (row: readonly string[]): string =>
    row.map((cell, index) => {
      const last = index === row.length - 1;
      const filler = " ".repeat(Math.max(0, (widths[index] ?? 0) - length(cell)));
      if (columns[index]?.align === "right") return filler + cell;
      return last ? cell : cell + filler;
    }).join(GAP).trimEnd();
  return [markTitle(line(columns.map((column) => column.title))), ...cells.map(line)];
}

/** Controls, line and paragraph separators, and marks that turn the direction of writing. */
// deno-lint-ignore no-control-regex -- control characters are what is looked for
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** The text with every control character written as `\xNN`, so that it cannot steer a terminal. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

function blocks(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  markTitle: (text: string) => string,
): string[] {
  const widest = Math.max(...columns.map((column) => column.title.length));
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [""]),
    ...columns.map((column, at) =>
      `${markTitle(column.title.padEnd(widest))}${GAP}${row[at] ?? ""}`.trimEnd()
    ),
  ]);
}

function length(text: string): number {
  return [...text].length;
}
