/** Everything that shows nothing, steers a terminal or turns the direction of writing, line breaks aside. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Further line breaks than this in a row only push what matters out of sight. */
const BLANK_LINES_MAX = 1;

/**
 * Text of a program that asks a person for something, as it may be shown to that person: control
 * characters, marks that turn the direction of writing and characters of no width are written out as
 * `\u{202e}`, so that no sentence reads differently from what it says (Unicode TR 36, 2.5; TR 39).
 * Line breaks become blanks.
 */
export function visibleText(text: string): string {
  return visibleLines(text).join(" ");
}

/** As {@link visibleText}, line by line; a run of empty lines counts as one. */
export function visibleLines(text: string): string[] {
  const lines: string[] = [];
  let blank = 0;
  for (const line of text.trim().split(/\r\n|\n|\r/)) {
    const shown = line.replaceAll("\t", " ").replace(INVISIBLE, written).trimEnd();
    blank = shown === "" ? blank + 1 : 0;
    if (blank <= BLANK_LINES_MAX) lines.push(shown);
  }
  return lines;
}

/** True when {@link visibleText} writes a character out: a reason for a second look. */
export function hasInvisibleCharacters(text: string): boolean {
  return text.replaceAll(/[\r\n\t]/g, " ").search(INVISIBLE) !== -1;
}

function written(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
