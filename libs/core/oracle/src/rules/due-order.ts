// Finds the keys that are due first: a heap of instants, where a key may stand at an earlier one than it is now due at.
import type { Millis } from '@flatline/base';

export interface Due {
  readonly at: Millis;
  readonly name: string;
}

export class DueOrder {
  readonly #heap: Due[] = [];

  get size(): number {
    return this.#heap.length;
  }

  add(at: Millis, name: string): void {
    const heap = this.#heap;
    let child = heap.length;
    heap.push({ at, name });
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (heap[parent]!.at <= at) break;
      heap[child] = heap[parent]!;
      child = parent;
    }
    heap[child] = { at, name };
  }

  /** Takes the earliest key that stands at or below `until`. */
  take(until: Millis): Due | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.at > until) return undefined;
    const last = this.#heap.pop()!;
    if (this.#heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(due: Due): void {
    const heap = this.#heap;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      if (left >= heap.length) break;
      const child = left + 1 < heap.length && heap[left + 1]!.at < heap[left]!.at ? left + 1 : left;
      if (heap[child]!.at >= due.at) break;
      heap[parent] = heap[child]!;
      parent = child;
    }
    heap[parent] = due;
  }
}
