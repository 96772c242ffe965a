// The order of several inputs: whose record comes next, and when it is certain that none comes before it (S8).
//
// A record's place is (the clock of its input once it is read, the input's number). An input's places never go back, so one
// without a record in hand brings none before its clock.
//
// Owns: the clock of each input, the place of the record in hand.
// Does not own: records, positions, the partition clock.
//
// Invariants
//   MO1  The place of a record in hand is not before the clock of its input.
//   MO2  What is taken comes in the order of its places, whatever was in hand when.
//
// Checked
//   inspect    MO1
//   assertion  MO2: against the clocks of all others, when a record is taken.
import { assert, INPUTS_MAX, type Millis } from '@flatline/base';

/** As an input's place: it has no record in hand. */
const NONE = Infinity;

export class MergeOrder {
  readonly #count: number;
  readonly #clocks: Float64Array;
  readonly #heads: Float64Array;
  /** The record in hand is a clock record: what it says is not waited for. */
  readonly #isClock: boolean[];

  constructor(count: number) {
    assert(
      count >= 1 && count <= INPUTS_MAX,
      'a pipeline has at least one input, and no more than are looked through',
      {
        count,
      },
    );
    this.#count = count;
    this.#clocks = new Float64Array(count);
    this.#heads = new Float64Array(count).fill(NONE);
    this.#isClock = Array.from({ length: count }, () => false);
  }

  /** `clocks`: the greatest stamp applied of each input; none is in hand. */
  resume(clocks: readonly Millis[]): void {
    assert(clocks.length === this.#count, 'each input has a clock', { clocks: clocks.length, inputs: this.#count });
    this.#clocks.set(clocks);
    this.#heads.fill(NONE);
  }

  /** The greatest stamp applied of the input. */
  clockOf(input: number): Millis {
    return this.#clocks[input]!;
  }

  /** No record of the input lies before it, in hand or to come. */
  frontOf(input: number): Millis {
    const head = this.#heads[input]!;
    return head === NONE ? this.#clocks[input]! : head;
  }

  hasHead(input: number): boolean {
    return this.#heads[input] !== NONE;
  }

  /** The input's next record is in hand; `stamp` is what it says to the input's clock. */
  show(input: number, stamp: Millis, isClock = false): void {
    this.#isClock[input] = isClock;
    this.#heads[input] = Math.max(stamp, this.#clocks[input]!);
  }

  /** The input has no record in hand. */
  hide(input: number): void {
    this.#heads[input] = NONE;
  }

  /** The record in hand is applied. */
  taken(input: number): void {
    const place = this.#heads[input]!;
    // MO2
    assert(place !== NONE && this.#mayTake(input, place), 'the record that is taken is the least there can be');
    this.#clocks[input] = place;
    this.#heads[input] = NONE;
  }

  /** The input whose record in hand is next; −1: none is in hand, or an earlier one may come. */
  next(): number {
    const input = this.#least();
    return input >= 0 && this.#mayTake(input, this.#heads[input]!) ? input : -1;
  }

  /**
   * The instant that a record of the input has to reach for one in hand of another; undefined: none waits for it. Clock records
   * do not: else inputs that are silent would have each other asked for ever.
   */
  awaitedOf(input: number): Millis | undefined {
    let awaited = NONE;
    for (let other = 0; other < this.#count; other += 1) {
      const place = this.#heads[other]!;
      if (other === input || place === NONE || this.#isClock[other] || this.#isBehind(input, other, place)) continue;
      awaited = Math.min(awaited, input < other ? place + 1 : place);
    }
    return awaited === NONE ? undefined : awaited;
  }

  /** Lists violations of the invariants, in words. For checks. */
  inspect(): string[] {
    const inputs = Array.from({ length: this.#count }, (_, input) => input);
    return inputs
      .filter((input) => this.#heads[input]! < this.#clocks[input]!)
      .map((input) => `MO1: input ${input} shows a record at ${this.#heads[input]}, before ${this.#clocks[input]}`);
  }

  /** The input with the least record in hand, the first of those that are equal; −1: there is none. */
  #least(): number {
    let least = -1;
    let place = NONE;
    for (let input = 0; input < this.#count; input += 1) {
      const head = this.#heads[input]!;
      if (head < place) [least, place] = [input, head];
    }
    return least;
  }

  #mayTake(input: number, place: Millis): boolean {
    for (let other = 0; other < this.#count; other += 1)
      if (other !== input && !this.#isBehind(other, input, place)) return false;
    return true;
  }

  /** True if whatever `other` brings comes after a record of `input` at `place`. */
  #isBehind(other: number, input: number, place: Millis): boolean {
    const front = this.frontOf(other);
    return front > place || (front === place && other > input);
  }
}
