/** A path glob cut at its stars (spec: Matching rules, 3). */
export interface PathGlob {
  /** What stands before the first `*`; the whole glob when it has none. Its length is the rule's score. */
  readonly prefix: string;
  /** What stands between two stars, empty pieces left out. */
  readonly middle: readonly string[];
  /** What stands after the last `*`. */
  readonly suffix: string;
  /** False for a glob that is one exact path. */
  readonly hasStar: boolean;
}

/** Cuts a glob at its stars; every `*` stands for any characters, slashes and none at all included. */
export function parsePathGlob(glob: string): PathGlob {
  const pieces = glob.split("*");
  const prefix = pieces[0]!;
  if (pieces.length === 1) return { prefix, middle: [], suffix: "", hasStar: false };
  return {
    prefix,
    middle: pieces.slice(1, -1).filter((piece) => piece !== ""),
    suffix: pieces.at(-1)!,
    hasStar: true,
  };
}

/**
 * Makes a test for one glob. It takes time linear in the path: the pieces between stars are found one
 * after another, each as early as it stands, and nothing is tried twice.
 */
export function compilePathGlob(glob: string): (path: string) => boolean {
  const { prefix, middle, suffix, hasStar } = parsePathGlob(glob);
  if (!hasStar) return (path) => path === glob;
  const matchesMiddle = compileMiddle(middle);
  return (path) =>
    path.length >= prefix.length + suffix.length && path.startsWith(prefix) &&
    path.endsWith(suffix) && matchesMiddle(path, prefix.length, path.length - suffix.length);
}

/** Makes a test whether pieces stand in `path[start, end)` in their order without overlapping. */
export function compileMiddle(
  middle: readonly string[],
): (path: string, start: number, end: number) => boolean {
  if (middle.length === 0) return () => true;
  const searches = middle.map(compileSearch);
  return (path, start, end) => {
    let at = start;
    for (const search of searches) {
      at = search(path, at, end);
      if (at === -1) return false;
    }
    return true;
  };
}

/**
 * Makes a search for the end of a piece's first occurrence in `path[start, end)`, or -1 (Knuth, Morris
 * and Pratt: `indexOf` may take the product of both lengths, which a client's path could aim at).
 */
function compileSearch(piece: string): (path: string, start: number, end: number) => number {
  const fallback = new Uint16Array(piece.length);
  for (let at = 1, matched = 0; at < piece.length; at++) {
    while (matched > 0 && piece[at] !== piece[matched]) matched = fallback[matched - 1]!;
    if (piece[at] === piece[matched]) matched++;
    fallback[at] = matched;
  }
  return (path, start, end) => {
    let matched = 0;
    for (let at = start; at < end; at++) {
      const code = path.charCodeAt(at);
      while (matched > 0 && code !== piece.charCodeAt(matched)) matched = fallback[matched - 1]!;
      if (code === piece.charCodeAt(matched)) matched++;
      if (matched === piece.length) return at + 1;
    }
    return -1;
  };
}
