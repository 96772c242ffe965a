// Keys with a schedule that has asked for the calendar of a zone: another version of the time-zone database may decide otherwise on
// them (D3).

/** Above this many, every key counts as one. */
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
