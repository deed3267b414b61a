/** Edits between two words beyond which a suggestion would be a guess; half as many in short words. */
const MAX_EDITS = 2;

/** Longest word that counts as short, in letters. */
const SHORT_WORD = 5;

/**
 * The candidate that a mistyped word most likely means, or `undefined` when none is near: at most two
 * edits away, one in words of up to five letters. Case does not count.
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  let nearest: string | undefined;
  let fewest = (typed.length > SHORT_WORD ? MAX_EDITS : MAX_EDITS / 2) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - typed.length) >= fewest) continue;
    const edits = editDistance(typed, candidate.toLowerCase());
    if (edits < fewest) [nearest, fewest] = [candidate, edits];
  }
  return nearest;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let edits = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1];
      if (swapped) edits = Math.min(edits, beforeLast[column - 2]! + 1);
      current.push(edits);
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length]!;
}
