// A window that has fired, as records of the output: in as many parts as it needs, each encoded when it is asked for.
//
// Progress is one number: the next item, and the parts so far. Where parts end is not known beforehand: after a restart the output
// may have another format, in which items have other lengths.
//
// Owns: a copy of the window's items, how far they are encoded.
// Does not own: how a batch is written (BatchVoice).
import { type Millis, PartitionStopped } from '@flatline/base';
import type { UntimedRecord } from '@flatline/ports';
import type { BatchItem, BatchReason, DebouncedBatch } from '@flatline/ports/formats';
import type { OwedRecords } from '../contract.ts';
import { COUNT_SPACE } from './debounce-window.ts';
import type { WindowForm } from './window-form.ts';
import { type WaitingItem, WindowItems } from './window-items.ts';
import { WindowSurvey } from './window-survey.ts';

/** A window as it was when it fired, with at least one item. */
export interface Fired {
  readonly key: Uint8Array;
  readonly reason: BatchReason;
  readonly windowId: string;
  readonly form: WindowForm;
  /** Offset of the item that opened it. */
  readonly firstOffset: number;
  readonly firedAt: Millis;
  /** Items that it has taken, and bytes of their values. */
  readonly count: number;
  readonly valueBytes: number;
  /** At most what the items take in batches. */
  readonly batchBytes: number;
  /** A copy of the state. */
  readonly state: Uint8Array;
}

export interface PartLimits {
  /** Bytes that the items of one record may take. */
  readonly room: number;
  /** Upper bound on the bytes of a record beside its items. */
  readonly aroundBytes: number;
  /** Upper bound on the bytes of an item whose length was taken for another format. */
  readonly weigh: ((value: Uint8Array) => number) | undefined;
  /** Where to begin; 0: at its beginning. */
  readonly progress: number;
}

type Common = Omit<DebouncedBatch, 'part' | 'last' | 'items'>;

/** Items looked at between two looks at the time: one or two milliseconds. */
const SURVEYED_ITEMS = 8_192;

export class FiredWindow implements OwedRecords {
  readonly bytes: number;
  readonly #fired: Fired;
  readonly #limits: PartLimits;
  readonly #record: (batch: DebouncedBatch) => UntimedRecord;
  readonly #survey: WindowSurvey;
  readonly #items: WindowItems;
  /** Number of the item that is read next, and what was read and is in no part yet. */
  #index = 0;
  #next: WaitingItem | undefined;
  #common: Common | undefined;
  #part: number;
  #isOver = false;

  constructor(fired: Fired, limits: PartLimits, record: (batch: DebouncedBatch) => UntimedRecord) {
    const { batchBytes, state, firstOffset, form, reason, count } = fired;
    const { room, aroundBytes, progress } = limits;
    this.#fired = fired;
    this.#limits = limits;
    this.#part = Math.floor(progress / COUNT_SPACE);
    this.#record = record;
    this.#survey = new WindowSurvey(new WindowItems(state, firstOffset, form), count, form.reducer);
    this.#items = new WindowItems(state, firstOffset, form);
    // The items of two parts that follow each other do not fit one record.
    const partsMax = 1 + Math.ceil((2 * batchBytes) / room);
    // It holds the state until then (X6), although identities are in no batch, and nothing of a cancelled window is.
    const isCancelled = reason === 'CANCELLED';
    this.bytes = Math.max(state.length, isCancelled ? 0 : batchBytes) + aroundBytes * (isCancelled ? 1 : partsMax);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get progress(): number {
    return this.#part * COUNT_SPACE + (this.#next === undefined ? this.#index : this.#index - 1);
  }

  next(): UntimedRecord | undefined {
    if (!this.#survey.isOver) {
      this.#survey.advance(SURVEYED_ITEMS);
      return undefined;
    }
    const common = (this.#common ??= this.#begin());
    const items = this.#takePart();
    this.#isOver = this.#next === undefined;
    const part = this.#part;
    this.#part += 1;
    return this.#record({ ...common, part, last: this.#isOver, items });
  }

  #begin(): Common {
    const { key, windowId, reason, firedAt, count, valueBytes: bytes } = this.#fired;
    const { firstOffset, lastOffset } = this.#survey;
    const isCancelled = reason === 'CANCELLED';
    for (const from = this.#limits.progress % COUNT_SPACE; this.#index < from; this.#index += 1) this.#items.skip();
    if (!isCancelled) this.#advance();
    const { openedAt } = this.#items;
    // Items of a cancelled window are gone, alike or not.
    const duplicates = isCancelled ? 0 : this.#survey.duplicates;
    return { key, windowId, reason, openedAt, firedAt, count, bytes, duplicates, firstOffset, lastOffset };
  }

  /** Takes items in order, as many as a record may have. */
  #takePart(): BatchItem[] {
    const items: BatchItem[] = [];
    let left = this.#limits.room;
    for (let next = this.#next; next !== undefined; next = this.#next) {
      const bytes = this.#weightOf(next);
      if (bytes > left && items.length > 0) break;
      items.push(next);
      left -= bytes;
      this.#advance();
    }
    return items;
  }

  /** @throws PartitionStopped for an item that no record holds: it was accepted for another format. */
  #weightOf({ offset, value, batchBytes }: WaitingItem): number {
    const { weigh, room } = this.#limits;
    const bytes = weigh?.(value) ?? batchBytes;
    if (bytes <= room) return bytes;
    const what = `the item at offset ${offset} takes ${bytes} bytes of a batch in this output.format, which holds ${room}`;
    const remedy = 'It was taken for another: set that again until its window has fired';
    throw new PartitionStopped(`${what}. ${remedy} (${this.#fired.windowId})`);
  }

  /** Moves to the next item that the batch shows. */
  #advance(): void {
    this.#next = undefined;
    for (; !this.#items.isOver && this.#next === undefined; this.#index += 1) {
      if (this.#survey.shows(this.#index)) this.#next = this.#items.next();
      else this.#items.skip();
    }
  }
}
