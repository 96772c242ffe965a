// Records that must be written, by key in log order, until they are seen on the output.
import { IdQueue } from './id-queue.ts';

interface Said {
  readonly name: string;
  readonly id: string;
}

export class SaidQueue<Each extends Said> {
  readonly #byName = new Map<string, IdQueue<Each>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(each: Each): void {
    this.#size += 1;
    const former = this.#byName.get(each.name);
    const queue = former ?? new IdQueue<Each>(idsOf);
    if (former === undefined) this.#byName.set(each.name, queue);
    queue.add(each);
  }

  has(name: string, id: string): boolean {
    return (this.#byName.get(name)?.placeOf(id) ?? -1) >= 0;
  }

  /** True if `one` is there, and is `other` or precedes it. */
  isUpTo(name: string, one: string, other: string): boolean {
    return this.#byName.get(name)?.isUpTo(one, other) === true;
  }

  /** Takes one; undefined: none has that id. `isOutOfOrder`: an earlier one of its key is still there. */
  take(name: string, id: string): { readonly expected: Each; readonly isOutOfOrder: boolean } | undefined {
    const all = this.#byName.get(name);
    const place = all?.placeOf(id) ?? -1;
    if (all === undefined || place < 0) return undefined;
    const isOutOfOrder = place > all.first;
    const expected = all.take(place);
    this.#size -= 1;
    if (all.size === 0) this.#byName.delete(name);
    return { expected, isOutOfOrder };
  }

  /** By key; those of a key in order. */
  *each(): Iterable<Each> {
    for (const queue of this.#byName.values()) yield* queue.all();
  }

  all(): readonly Each[] {
    return [...this.#byName.values()].flatMap((queue) => queue.all());
  }

  takeAll(): readonly Each[] {
    const all = this.all();
    this.#byName.clear();
    this.#size = 0;
    return all;
  }
}

function idsOf({ id }: Said): readonly string[] {
  return [id];
}
