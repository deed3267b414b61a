/** From which end texts are compared: `forward` holds prefixes, `backward` holds suffixes. */
export type Direction = "forward" | "backward";

interface Node<T> {
  /** What leads here from the parent, in the order it is compared. */
  label: string;
  value: T | undefined;
  readonly children: Map<number, Node<T>>;
}

/**
 * Values under literal texts, found by walking a path once: the time depends on the path's length and
 * not on how many texts there are. Labels of several characters keep it small (a radix tree).
 */
export class LiteralTrie<T> {
  readonly #root: Node<T> = { label: "", value: undefined, children: new Map() };
  readonly #backward: boolean;

  constructor(direction: Direction) {
    this.#backward = direction === "backward";
  }

  /** The value under a text; made by `create` when there is none yet. */
  getOrCreate(text: string, create: () => T): T {
    let rest = this.#backward ? reverse(text) : text;
    let node = this.#root;
    while (rest !== "") {
      const child = node.children.get(rest.charCodeAt(0));
      if (child === undefined) {
        const leaf: Node<T> = { label: rest, value: undefined, children: new Map() };
        node.children.set(rest.charCodeAt(0), leaf);
        node = leaf;
        break;
      }
      const common = commonLength(child.label, rest);
      if (common < child.label.length) node = split(node, child, common);
      else node = child;
      rest = rest.slice(common);
    }
    return node.value ??= create();
  }

  /**
   * Calls `visit` with the value of every text that begins `path.slice(start)` (or ends it, for
   * suffixes), shortest first, and with the length of that text.
   */
  visit(path: string, start: number, visit: (value: T, length: number) => void): void {
    let node = this.#root;
    const available = path.length - start;
    let length = 0;
    for (;;) {
      if (node.value !== undefined) visit(node.value, length);
      if (length === available) return;
      const child = node.children.get(this.#code(path, start, length));
      if (child === undefined || length + child.label.length > available) return;
      const { label } = child;
      for (let at = 1; at < label.length; at++) {
        if (label.charCodeAt(at) !== this.#code(path, start, length + at)) return;
      }
      length += label.length;
      node = child;
    }
  }

  #code(path: string, start: number, offset: number): number {
    return path.charCodeAt(this.#backward ? path.length - 1 - offset : start + offset);
  }
}

/** Puts a node between a parent and a child whose labels part after `length` characters. */
function split<T>(parent: Node<T>, child: Node<T>, length: number): Node<T> {
  const between: Node<T> = {
    label: child.label.slice(0, length),
    value: undefined,
    children: new Map([[child.label.charCodeAt(length), child]]),
  };
  child.label = child.label.slice(length);
  parent.children.set(between.label.charCodeAt(0), between);
  return between;
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

function reverse(text: string): string {
  return text.split("").reverse().join("");
}
