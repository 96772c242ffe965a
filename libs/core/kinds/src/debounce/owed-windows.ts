// Windows that need several records: what is left of one that has fired, until all of its parts are said.
//
//   open ── fires ──▶ owed ── part, part, … in commit after commit ──▶ said
//                       └── the key's next window opens beside it, and fires after it
//
// Owns: nothing that outlives a call.
// Does not own: how parts are made (FiredWindow), when a commit takes one (the engine).
//
// Invariants
//   OW1  While a window is owed nothing else of its key is said: what would be said waits (`OWING`), and the next window is not due.
//   OW2  Its items lie in the state, before those of the next one, until the last part is said: they are taken out once.
//   OW3  What an item says itself that has pushed the window out (`next`) is said with the last part: the item is taken, and
//        nothing more is before that. It was taken when the window fired, so that is as of the same instant.
import { assert, type Millis } from '@flatline/base';
import type { BatchReason } from '@flatline/ports/formats';
import type { Effects, OwedRecords, Owing } from '../contract.ts';
import { HeapBytes } from '../state-bytes.ts';
import type { BatchVoice } from './batch-voice.ts';
import type { DebounceWindow } from './debounce-window.ts';
import { formOf } from './window-form.ts';
import { beginItems, WindowItems } from './window-items.ts';

/** By number: they stand in changelogs. */
export const BATCH_REASONS: readonly BatchReason[] = [
  'LEADING',
  'QUIET',
  'WINDOW',
  'MAX_WAIT',
  'MAX_ITEMS',
  'MAX_BYTES',
  'FLUSHED',
  'CANCELLED',
];

/**
 * Batches, by number since they stand in changelogs, that an item owes which has pushed a window out. `ends`: its window goes no
 * further.
 */
export const NEXT_SAID: readonly (undefined | { readonly reason: BatchReason; readonly ends: boolean })[] = [
  undefined,
  { reason: 'LEADING', ends: false },
  { reason: 'LEADING', ends: true },
  { reason: 'FLUSHED', ends: true },
  { reason: 'MAX_ITEMS', ends: true },
  { reason: 'MAX_BYTES', ends: true },
];

export class OwedWindows implements Owing {
  readonly #entry: DebounceWindow;
  readonly #voice: BatchVoice;

  constructor(entry: DebounceWindow, voice: BatchVoice) {
    this.#entry = entry;
    this.#voice = voice;
  }

  /** The window that is open has fired. */
  begin(reason: BatchReason, firedAt: Millis, effects: Effects): void {
    const entry = this.#entry;
    assert(!entry.hasRow, 'a window fires once the one before is said');
    const { stateLength: stateBytes, firstOffset, count, valueBytes, batchBytes, form } = entry;
    const numbers = { reason: BATCH_REASONS.indexOf(reason), firedAt, progress: 0, next: 0 };
    entry.owed = { ...numbers, stateBytes, firstOffset, count, valueBytes, batchBytes, form };
    entry.holds(0, 0);
    entry.takes(0, form);
    effects.owes();
    effects.changed();
  }

  /** The item of the window that is open, which pushed the other out, makes a batch itself, which ends its window or leads it. */
  sayNext(reason: BatchReason): void {
    const owed = this.#entry.owed!;
    const leads = NEXT_SAID[owed.next]?.reason === 'LEADING';
    const wanted = leads ? 'LEADING' : reason;
    const next = NEXT_SAID.findIndex((each) => each?.reason === wanted && each.ends === (reason !== 'LEADING'));
    assert(next > 0, 'what an item says itself has a number', { reason });
    this.#entry.owed = { ...owed, next };
  }

  isOwing(): boolean {
    return this.#entry.hasRow;
  }

  /** True if an item that was taken waits to be said. */
  get hasNext(): boolean {
    return this.#entry.owedNext > 0;
  }

  records(effects: Effects): OwedRecords {
    const { state, owed } = this.#entry;
    const { stateBytes, form, reason, progress, firstOffset, firedAt, count, valueBytes, batchBytes } = owed!;
    const window = { key: effects.key(), form: formOf(form), reason: BATCH_REASONS[reason]!, firstOffset, firedAt };
    const sums = { count, valueBytes, batchBytes };
    return this.#voice.records({ ...window, ...sums, state: state.copy().subarray(0, stateBytes) }, progress);
  }

  said(progress: number, isOver: boolean, effects: Effects): void {
    const entry = this.#entry;
    const owed = entry.owed!;
    if (!isOver) {
      entry.owed = { ...owed, progress };
      effects.changed();
      return;
    }
    if (!entry.isOpen) {
      effects.end(owed.firedAt);
      return;
    }
    const { stateBytes, next, firedAt } = owed;
    // Not by a splice: to edit a state of many pages it is gathered, all of what goes, too.
    const { state } = entry;
    const open = state.copy().subarray(stateBytes);
    const said = NEXT_SAID[next];
    if (said !== undefined) this.#say(said.reason, open, firedAt, effects);
    if (said?.ends === true) {
      effects.end(firedAt);
      return;
    }
    state.set(new HeapBytes(open));
    entry.owed = undefined;
    if (said !== undefined) this.#goOn();
    effects.reshaped();
    effects.resized();
    effects.changed();
    effects.dueSooner();
  }

  /** The one item of a window, whose state that is. */
  #say(reason: BatchReason, state: Uint8Array, firedAt: Millis, effects: Effects): void {
    const { firstOffset, count, valueBytes, batchBytes, form: number } = this.#entry;
    const form = formOf(number);
    const key = effects.key();
    if (reason !== 'LEADING') {
      const sums = { count, valueBytes, batchBytes };
      this.#voice.fired({ key, reason, firstOffset, firedAt, ...sums, form, state }, effects);
      return;
    }
    const items = new WindowItems(state, firstOffset, form);
    const { openedAt } = items;
    // With the reducer `count` nothing is left of it, and nothing is shown.
    const item = items.isOver
      ? { offset: firstOffset, timestamp: openedAt, value: state.subarray(0, 0) }
      : items.next();
    this.#voice.leading({ key, item, takenBytes: valueBytes, openedAt, firedAt }, form, effects);
  }

  /** The window whose first item was said waits for others. */
  #goOn(): void {
    const entry = this.#entry;
    const { state, form, firstOffset } = entry;
    const { openedAt } = new WindowItems(state.copy(), firstOffset, formOf(form));
    beginItems(state, 0, openedAt);
    entry.holds(0, 0);
    entry.takes(0, form);
  }
}
