// The keys that live, or have due instants that have not taken effect in the changelog: their machines, their weights, and the order
// in which they are due.
//
// Owns: an entry per key, the order of due instants, weights (I7).
// Does not own: when a machine advances (EntriesFold).
//
// Invariants
//   KT1  A key stands in the order at its due instant, or before it.
//   KT2  A key that has no state and owes nothing has no entry: it is as if it had never come.
import type { Millis } from '@flatline/base';
import { DueOrder } from './due-order.ts';
import type { EntryRules, Machine } from './entry-rules.ts';
import type { HeldGaps } from './held-gaps.ts';
import { type Weight, weightOf } from './input-fold.ts';
import { type Step, Steps } from './steps.ts';

export interface Entry<State, Said> {
  readonly name: string;
  readonly key: Uint8Array;
  readonly machine: Machine<State, Said>;
  steps: Steps<State>;
  /** Bytes of its state: exact, or an upper bound, depending on the kind. */
  stateBytes: number;
  /** Earliest instant at which it stands in the order. */
  queuedAt: Millis;
}

/** Stale places that the order may have, beside as many as there are entries. */
const STALE_MAX = 1_000;
const NOTHING: Weight = { entries: 0, keyBytes: 0 };

export class EntryTable<State, Said> {
  /** Entries that live, and the bytes of their keys; `gone`: those that ended since the last commit. */
  live = NOTHING;
  gone = NOTHING;
  /** Bytes of the states; `goneStateBytes`: bytes by which states have shrunk since the last commit. */
  stateBytes = 0;
  goneStateBytes = 0;
  readonly #kind: Pick<EntryRules<State, Said>, 'machine' | 'stateBytes'>;
  readonly #gaps: HeldGaps;
  readonly #entries = new Map<string, Entry<State, Said>>();
  #order = new DueOrder();
  /** Shared by the keys without steps; never added to. */
  readonly #noSteps = new Steps<State>();

  constructor(kind: Pick<EntryRules<State, Said>, 'machine' | 'stateBytes'>, gaps: HeldGaps) {
    this.#kind = kind;
    this.#gaps = gaps;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Places in the order, including stale ones. */
  get queued(): number {
    return this.#order.size;
  }

  names(): Iterable<string> {
    return this.#entries.keys();
  }

  all(): Iterable<Entry<State, Said>> {
    return this.#entries.values();
  }

  get(name: string): Entry<State, Said> | undefined {
    return this.#entries.get(name);
  }

  entryOf(name: string, key: Uint8Array): Entry<State, Said> {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const machine = this.#kind.machine(key, this.#gaps);
    const entry = { name, key, machine, steps: this.#noSteps, stateBytes: 0, queuedAt: Infinity };
    this.#entries.set(name, entry);
    return entry;
  }

  addStep(entry: Entry<State, Said>, step: Step<State>): void {
    if (entry.steps.size === 0) entry.steps = new Steps();
    entry.steps.add(step);
  }

  forget({ name, machine, steps }: Entry<State, Said>): void {
    if (machine.state === undefined && steps.size === 0) this.#entries.delete(name);
  }

  /** Applies a change that may begin or end a life, and weighs the entry. */
  change(entry: Entry<State, Said>, how: () => void): void {
    const lived = entry.machine.state !== undefined;
    how();
    this.weigh(entry, lived, this.bytesOf(entry));
  }

  bytesOf({ machine: { state } }: Entry<State, Said>): number {
    return state === undefined ? 0 : this.#kind.stateBytes(state);
  }

  /** Weighs an entry that has changed. `lived`: whether it was alive before. */
  weigh(entry: Entry<State, Said>, lived: boolean, stateBytes: number): void {
    const lives = entry.machine.state !== undefined;
    this.stateBytes += stateBytes - entry.stateBytes;
    this.goneStateBytes += Math.max(0, entry.stateBytes - stateBytes);
    entry.stateBytes = stateBytes;
    if (lived === lives) return;
    const weight = { entries: 1, keyBytes: weightOf(entry.name) };
    if (lives) this.live = sum(this.live, weight);
    else {
      this.live = sum(this.live, { entries: -1, keyBytes: -weight.keyBytes });
      this.gone = sum(this.gone, weight);
    }
  }

  /** To be called with each commit: it shows all that has ended by now. */
  committed(): void {
    this.gone = NOTHING;
    this.goneStateBytes = 0;
  }

  queue(entry: Entry<State, Said>, dueAt: Millis = entry.machine.dueAt()): void {
    if (dueAt >= entry.queuedAt) return;
    entry.queuedAt = dueAt;
    this.#order.add(dueAt, entry.name);
    if (this.#order.size > 2 * this.#entries.size + STALE_MAX) this.#orderAnew();
  }

  #orderAnew(): void {
    this.#order = new DueOrder();
    for (const { name, queuedAt } of this.#entries.values()) if (queuedAt < Infinity) this.#order.add(queuedAt, name);
  }

  /** Takes the earliest key that stands in the order at or below `until`. */
  takeDue(until: Millis): Entry<State, Said> | undefined {
    for (let due = this.#order.take(until); due !== undefined; due = this.#order.take(until)) {
      const entry = this.#entries.get(due.name);
      // A stale place: the entry stands at another instant, too.
      if (entry?.queuedAt !== due.at) continue;
      entry.queuedAt = Infinity;
      return entry;
    }
    return undefined;
  }
}

function sum(one: Weight, other: Weight): Weight {
  return { entries: one.entries + other.entries, keyBytes: one.keyBytes + other.keyBytes };
}
