// A window that has fired, as records of the output: in as many parts as it needs, each encoded when it is asked for.
//
// Owns: a copy of the window's items, how far they are encoded.      Does not own: how a batch is written (BatchVoice).
import type { Millis } from '@flatline/base';
import type { OutgoingRecord } from '@flatline/ports';
import type { BatchItem, BatchReason, DebouncedBatch } from '@flatline/ports/formats';
import type { LaterRecords } from '../contract.ts';
import { type WaitingItem, WindowItems } from './window-items.ts';

/** A window as it was when it fired; it holds an item at least. */
export interface Fired {
  readonly key: Uint8Array;
  readonly reason: BatchReason;
  readonly windowId: string;
  /** Where the item lies that opened it. */
  readonly firstOffset: number;
  readonly firedAt: Millis;
  /** At most what the items take in batches. */
  readonly batchBytes: number;
  /** A copy of the state. */
  readonly state: Uint8Array;
}

export interface PartLimits {
  /** What the items of one record may take. */
  readonly room: number;
  /** At most what a record has beside them. */
  readonly aroundBytes: number;
}

type Common = Omit<DebouncedBatch, 'part' | 'last' | 'items'>;

export class FiredWindow implements LaterRecords {
  readonly bytes: number;
  readonly #fired: Fired;
  readonly #room: number;
  readonly #record: (batch: DebouncedBatch) => OutgoingRecord;
  readonly #items: WindowItems;
  /** Read, and not in a part yet. */
  #next: WaitingItem | undefined;
  #common: Common | undefined;
  #part = 0;
  #isOver = false;

  constructor(fired: Fired, { room, aroundBytes }: PartLimits, record: (batch: DebouncedBatch) => OutgoingRecord) {
    const { batchBytes, state, firstOffset, reason } = fired;
    this.#fired = fired;
    this.#room = room;
    this.#record = record;
    this.#items = new WindowItems(state, firstOffset);
    // The items of two parts that follow each other do not fit one record.
    this.bytes =
      reason === 'CANCELLED' ? aroundBytes : batchBytes + aroundBytes * (1 + Math.ceil((2 * batchBytes) / room));
  }

  next(): OutgoingRecord | undefined {
    if (this.#isOver) return undefined;
    const common = (this.#common ??= this.#sum());
    const items = common.reason === 'CANCELLED' ? [] : this.#takePart();
    this.#isOver = this.#next === undefined;
    const part = this.#part;
    this.#part += 1;
    return this.#record({ ...common, part, last: this.#isOver, items });
  }

  #sum(): Common {
    const { key, reason, windowId, firstOffset, firedAt, state } = this.#fired;
    const { openedAt } = this.#items;
    if (reason !== 'CANCELLED') this.#advance();
    return { key, windowId, reason, openedAt, firedAt, ...new WindowItems(state, firstOffset).sum() };
  }

  /** In order, as many as a record may have. */
  #takePart(): BatchItem[] {
    const items: BatchItem[] = [];
    for (let left = this.#room; this.#next !== undefined && (items.length === 0 || this.#next.batchBytes <= left);) {
      items.push(this.#next);
      left -= this.#next.batchBytes;
      this.#advance();
    }
    return items;
  }

  #advance(): void {
    this.#next = this.#items.isOver ? undefined : this.#items.next();
  }
}
