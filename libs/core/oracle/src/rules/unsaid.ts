// Records that the output has to have, from what has taken effect until a commit is seen to say them.
//
// Owns: what is expected, what the changelog says is owed.
// Does not own: what time brings about before the changelog shows it (Steps).
//
// Invariants
//   US1  What took effect is said in the commit that shows it, but for what the changelog then says is owed: that in later ones.
import type { ExpectedRecord, KindEntries, LaterState } from './reading.ts';
import { SaidQueue } from './said-queue.ts';

export class Unsaid {
  readonly #expected = new SaidQueue<ExpectedRecord>();
  /** By name, the id of the first record that is owed. */
  readonly #owed = new Map<string, string>();
  /** Names that owed what the input no longer tells of. */
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

  /** The changelog says that it owes this, from before the input that there is. */
  owesFromBefore(name: string): void {
    this.#owedBefore.add(name);
  }

  /** Takes note of what the changelog says is owed; undefined: nothing. Returns what is wrong with that. */
  noteOwed(name: string, owed: string | undefined): string | undefined {
    this.#owed.delete(name);
    if (owed === undefined) this.#owedBefore.delete(name);
    else if (this.#expected.has(name, owed)) this.#owed.set(name, owed);
    else if (!this.#owedBefore.has(name))
      return `the changelog owes ${owed}, which the input does not leave to be said`;
    return undefined;
  }

  /** Nothing is owed any more: all counts as said. */
  owesNothing(): void {
    this.#owed.clear();
  }

  /** Takes all but what is owed. */
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

  /** Takes at most so many that stand in a later state, older keys first. */
  takeStanding(most: number, { stands }: LaterState): ExpectedRecord[] {
    const gone: ExpectedRecord[] = [];
    for (const { name, id } of this.#expected.each()) {
      if (gone.length >= most) break;
      if (stands(name, id)) gone.push(this.#expected.take(name, id)!.expected);
    }
    return gone;
  }
}
