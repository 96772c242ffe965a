// Facts, and those who are told of them.
//
// Owns: the facts as they were told last, and what each watcher is owed.
import type { Sink } from '../push/subscriber.ts';
import type { Facts } from './facts.ts';
import { changesBetween, Watcher } from './watcher.ts';

/** A sink that says whether it has room. */
export type RoomySink = Sink & { readonly hasRoom: boolean };

export class Board {
  readonly #watchers = new Map<RoomySink, Watcher>();
  #facts: Facts = new Map();

  get size(): number {
    return this.#watchers.size;
  }

  /** Tells it of all there is, then of changes, until it is removed. */
  add(sink: RoomySink): void {
    const watcher = new Watcher();
    this.#watchers.set(sink, watcher);
    watcher.owes(this.#facts.keys());
    const whole = watcher.next(this.#facts, Infinity);
    if (whole !== undefined) sink.send(whole);
  }

  remove(sink: RoomySink): void {
    this.#watchers.delete(sink);
  }

  tell(facts: Facts): void {
    const isFirst = this.#facts.size === 0;
    const changed = changesBetween(this.#facts, facts);
    this.#facts = facts;
    for (const [sink, watcher] of this.#watchers) {
      watcher.owes(changed);
      const message = sink.hasRoom ? watcher.next(facts, isFirst ? Infinity : undefined) : undefined;
      if (message !== undefined) sink.send(message);
    }
  }

  /** Whoever comes next is told of what there is then. */
  forget(): void {
    this.#facts = new Map();
  }

  end(): void {
    for (const sink of this.#watchers.keys()) sink.end();
    this.#watchers.clear();
  }
}
