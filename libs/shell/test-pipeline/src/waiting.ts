// Items that a test has not asked for yet.
import { WAITING_MAX } from './limits.ts';

export class Waiting<Item> {
  readonly #what: string;
  readonly #most: number;
  #items: Item[] = [];

  /** `what`: the call that takes them. */
  constructor(what: string, most: number = WAITING_MAX) {
    this.#what = what;
    this.#most = most;
  }

  /** @throws RangeError */
  add(item: Item): void {
    if (this.#items.length >= this.#most)
      throw new RangeError(
        `${this.#most} wait to be asked for: call ${this.#what}() between shorter stretches of time`,
      );
    this.#items.push(item);
  }

  /** As `add`; where there is no room the oldest half goes. */
  addNewest(item: Item): void {
    if (this.#items.length >= this.#most) this.#items = this.#items.slice(Math.ceil(this.#most / 2));
    this.#items.push(item);
  }

  take(): Item[] {
    const taken = this.#items;
    this.#items = [];
    return taken;
  }
}
