import { hashBytes } from '@flatline/base';
import type { VirtualTime } from './virtual-time.ts';

/** Lines kept to be read after a failure. */
const TAIL_MAX = 400;

/**
 * What happened, in order: a running hash over all of it, by which two runs of one seed are compared, and the last
 * lines in words.
 */
export class Trace {
  readonly #time: VirtualTime;
  readonly #lines: string[] = [];
  readonly #encoder = new TextEncoder();
  #low = 1;
  #high = 2;
  #count = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  note(what: string): void {
    const line = `${this.#time.nowMicros} ${what}`;
    const bytes = this.#encoder.encode(line);
    this.#low = hashBytes(bytes, 0, bytes.length, this.#low);
    this.#high = hashBytes(bytes, 0, bytes.length, this.#high ^ this.#low);
    this.#lines[this.#count % TAIL_MAX] = line;
    this.#count += 1;
  }

  /** Number of lines noted so far and 64 bits over all of them. */
  get hash(): string {
    const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
    return `${this.#count}-${hex(this.#high)}${hex(this.#low)}`;
  }

  /** The last lines, oldest first, at most 400: microseconds, then what happened. */
  tail(): string[] {
    if (this.#count <= TAIL_MAX) return [...this.#lines];
    const at = this.#count % TAIL_MAX;
    return [...this.#lines.slice(at), ...this.#lines.slice(0, at)];
  }
}
