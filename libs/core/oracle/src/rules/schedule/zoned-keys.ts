// Keys of which a schedule has asked for the calendar of a zone: what becomes of them, another version of the database may say
// otherwise (D3).

/** Beyond so many, all keys are taken for such. */
const ZONED_KEYS_MAX = 100_000;

export class ZonedKeys {
  /** Human-readable. */
  readonly #keys = new Set<string>();

  note(key: string): void {
    if (this.#keys.size <= ZONED_KEYS_MAX) this.#keys.add(key);
  }

  has(key: string): boolean {
    return this.#keys.size > ZONED_KEYS_MAX || this.#keys.has(key);
  }
}
