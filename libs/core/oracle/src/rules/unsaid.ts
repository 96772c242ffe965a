// Records that the output must have, from when they take effect until a commit is seen to write them.
//
// Owns: the records expected, which of them the changelog says are owed.
// Does not own: effects of time that the changelog does not show yet (Steps).
//
// Invariants
//   US1  A record is said in the commit that shows its effect, or in a later one if the changelog then says that it is owed.
import type { ExpectedRecord, KindEntries, LaterState } from './reading.ts';
import { SaidQueue } from './said-queue.ts';

export class Unsaid {
  readonly #expected = new SaidQueue<ExpectedRecord>();
  /** By key name, the id of the first record that is owed. */
  readonly #owed = new Map<string, string>();
  /** Names of keys that owe records of which the input no longer tells. */
  readonly #owedBefore = new Set<string>();

  get size(): number {
    return this.#expected.size;
  }

  all(): readonly ExpectedRecord[] {
    return this.#expected.all();
  }

  add(each: ExpectedRecord): void {
    this.#expected.add(each);
  }

  has(name: string, id: string): boolean {
    return this.#expected.has(name, id);
  }

  isUpTo(name: string, one: string, other: string): boolean {
    return this.#expected.isUpTo(name, one, other);
  }

  take(name: string, id: string): ReturnType<KindEntries['takeSaid']> {
    return this.#expected.take(name, id);
  }

  /** Notes that the changelog owes records of that key from before the beginning of the input. */
  owesFromBefore(name: string): void {
    this.#owedBefore.add(name);
  }

  /** Notes the first record that the changelog says is owed; undefined: none is. Returns the fault, if there is one. */
  noteOwed(name: string, owed: string | undefined): string | undefined {
    this.#owed.delete(name);
    if (owed === undefined) this.#owedBefore.delete(name);
    else if (this.#expected.has(name, owed)) this.#owed.set(name, owed);
    else if (!this.#owedBefore.has(name))
      return `the changelog owes ${owed}, which the input does not leave to be said`;
    return undefined;
  }

  /** Nothing is owed any more: all records count as said. */
  owesNothing(): void {
    this.#owed.clear();
  }

  /** Takes all records that are not owed. */
  takeExpected(): ExpectedRecord[] {
    const owing = new Set<string>();
    const said: ExpectedRecord[] = [];
    for (const each of this.#expected.takeAll()) {
      if (this.#owed.get(each.name) === each.id) owing.add(each.name);
      if (owing.has(each.name)) this.#expected.add(each);
      else said.push(each);
    }
    return said;
  }

  /** Takes at most `most` records that stand in a later state, older keys first. */
  takeStanding(most: number, { stands }: LaterState): ExpectedRecord[] {
    const gone: ExpectedRecord[] = [];
    for (const { name, id } of this.#expected.each()) {
      if (gone.length >= most) break;
      if (stands(name, id)) gone.push(this.#expected.take(name, id)!.expected);
    }
    return gone;
  }
}
