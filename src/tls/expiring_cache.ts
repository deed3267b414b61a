/** How an {@link ExpiringCache} makes and judges its values. */
export interface ExpiringCacheOptions<Value> {
  /** Most values kept at once. */
  readonly capacity: number;
  readonly create: (key: string) => Promise<Value>;
  /** False for a value that must be made anew. */
  readonly isFresh: (value: Value) => boolean;
  /** Takes a value that left the cache, because it was least recently used, stale or cleared. */
  readonly onRemoved?: (value: Value) => void;
}

interface Entry<Value> {
  readonly promise: Promise<Value>;
  /** Undefined while the value is being made. */
  value: Value | undefined;
}

/**
 * Keeps the most recently used values under their keys. Callers that ask for the same key at once share
 * one creation; a failed creation is not remembered.
 */
export class ExpiringCache<Value extends object> {
  readonly #options: ExpiringCacheOptions<Value>;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(options: ExpiringCacheOptions<Value>) {
    this.#options = options;
  }

  /** Number of values, those being made included. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, made when it is absent or stale. */
  get(key: string): Promise<Value> {
    const found = this.#entries.get(key);
    if (found !== undefined) {
      this.#entries.delete(key);
      if (found.value === undefined || this.#options.isFresh(found.value)) {
        this.#entries.set(key, found);
        return found.promise;
      }
      this.#options.onRemoved?.(found.value);
    }
    return this.#create(key);
  }

  /** Removes every value; one that is being made is removed as soon as it is there. */
  clear(): void {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const { value } of entries) {
      if (value !== undefined) this.#options.onRemoved?.(value);
    }
  }

  #create(key: string): Promise<Value> {
    const promise = this.#options.create(key).then(
      (value) => {
        if (this.#entries.get(key) === entry) entry.value = value;
        else this.#options.onRemoved?.(value);
        return value;
      },
      (error) => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
        throw error;
      },
    );
    const entry: Entry<Value> = { promise, value: undefined };
    this.#entries.set(key, entry);
    this.#evict();
    return promise;
  }

  #evict(): void {
    for (const [key, { value }] of this.#entries) {
      if (this.#entries.size <= this.#options.capacity) return;
      // A value that is being made has callers waiting; removing it would only make them pay twice.
      if (value === undefined) continue;
      this.#entries.delete(key);
      this.#options.onRemoved?.(value);
    }
  }
}
