import type { VirtualTime } from './virtual-time.ts';

/** Lines kept for reading after a failure. */
const TAIL_MAX = 400;

/**
 * The events of a world in order: a running hash over all of them, by which two worlds of one seed are compared, and the last
 * lines in words.
 */
export class Trace {
  readonly #time: VirtualTime;
  readonly #lines: string[] = [];
  #low = 0x811c9dc5;
  #high = 2;
  #count = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  note(what: string): void {
    const line = `${this.#time.nowMicros} ${what}`;
    // FNV-1a and a second, differently mixed sum, over UTF-16 units: computed for every message of every world.
    for (let at = 0; at < line.length; at += 1) {
      const unit = line.charCodeAt(at);
      this.#low = Math.imul(this.#low ^ unit, 0x01000193);
      this.#high = Math.imul(this.#high + unit, 0x85ebca6b) ^ (this.#low >>> 13);
    }
    this.#lines[this.#count % TAIL_MAX] = line;
    this.#count += 1;
  }

  /** Number of lines noted so far and 64 bits over all of them. */
  get hash(): string {
    const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
    return `${this.#count}-${hex(this.#high)}${hex(this.#low)}`;
  }

  /** The last lines, oldest first, at most 400: microseconds, then the event. */
  tail(): string[] {
    if (this.#count <= TAIL_MAX) return [...this.#lines];
    const at = this.#count % TAIL_MAX;
    return [...this.#lines.slice(at), ...this.#lines.slice(0, at)];
  }
}
