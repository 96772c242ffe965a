// What has to be said, by key in the order of the log, until the output is seen to say it.
interface Said {
  readonly name: string;
  readonly id: string;
}

export class SaidQueue<Each extends Said> {
  readonly #byName = new Map<string, Each[]>();

  add(each: Each): void {
    const former = this.#byName.get(each.name);
    if (former === undefined) this.#byName.set(each.name, [each]);
    else former.push(each);
  }

  /** What there is of one key. */
  of(name: string): readonly Each[] {
    return this.#byName.get(name) ?? [];
  }

  has(name: string, id: string): boolean {
    return this.of(name).some((each) => each.id === id);
  }

  /** `isOutOfOrder`: an earlier one of its key is still there. undefined: there is none. */
  take(name: string, id: string): { readonly expected: Each; readonly isOutOfOrder: boolean } | undefined {
    const all = this.#byName.get(name) ?? [];
    const index = all.findIndex((each) => each.id === id);
    if (index < 0) return undefined;
    const [expected] = all.splice(index, 1);
    if (all.length === 0) this.#byName.delete(name);
    return { expected: expected!, isOutOfOrder: index > 0 };
  }

  all(): readonly Each[] {
    return [...this.#byName.values()].flat();
  }

  takeAll(): readonly Each[] {
    const all = this.all();
    this.#byName.clear();
    return all;
  }
}
