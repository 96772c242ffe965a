// Windows that need several records: what is left of one that has fired, until all of its parts are said.
//
//   open ── fires ──▶ owed ── part, part, … in commit after commit ──▶ said
//                       └── the key's next window opens beside it, and fires after it
//
// Owns: nothing that outlives a call.      Does not own: how parts are made (FiredWindow), when a commit takes one (the engine).
//
// Invariants
//   OW1  While a window is owed nothing else of its key is said: what would be said waits (`OWING`), and the next window is not due.
//   OW2  Its items lie in the state, before those of the next one, until the last part is said: they are taken out once.
import { assert, type Millis } from '@flatline/base';
import type { BatchReason } from '@flatline/ports/formats';
import type { Effects, OwedRecords, Owing } from '../contract.ts';
import { HeapBytes } from '../state-bytes.ts';
import type { BatchVoice } from './batch-voice.ts';
import type { DebounceWindow } from './debounce-window.ts';
import { formOf } from './window-form.ts';

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
    const numbers = { reason: BATCH_REASONS.indexOf(reason), firedAt, progress: 0 };
    entry.owed = { ...numbers, stateBytes, firstOffset, count, valueBytes, batchBytes, form };
    entry.holds(0, 0);
    entry.takes(0, form);
    effects.owes();
    effects.changed();
  }

  isOwing(): boolean {
    return this.#entry.hasRow;
  }

  records(effects: Effects): OwedRecords {
    const { state, owed } = this.#entry;
    const { stateBytes, form, reason, progress, ...numbers } = owed!;
    const window = { key: effects.key(), form: formOf(form), reason: BATCH_REASONS[reason]! };
    return this.#voice.records({ ...numbers, ...window, state: state.copy().subarray(0, stateBytes) }, progress);
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
    const { stateBytes } = owed;
    // Not by a splice: to edit a state of many pages it is gathered, all of what goes, too.
    const { state } = entry;
    state.set(new HeapBytes(state.copy().subarray(stateBytes)));
    entry.owed = undefined;
    effects.reshaped();
    effects.grew(-stateBytes);
    effects.changed();
    effects.dueSooner();
  }
}
