// Batches of windows: small ones encoded when they are decided, large ones when the commit is cut.
//
// Owns: nothing.
// Does not own: when a window fires (DebounceKind), what is in which part (FiredWindow).
import { namedMessageOf } from '@flatline/base';
import type { UntimedRecord } from '@flatline/ports';
import type { BatchItem, DebouncedBatch, DebouncedBatchEncoder } from '@flatline/ports/formats';
import type { Effects, LaterRecords } from '../contract.ts';
import { type Fired, FiredWindow } from './fired-window.ts';
import type { WindowForm } from './window-form.ts';

export interface BatchVoiceParts {
  readonly encoder: DebouncedBatchEncoder;
  readonly outputTopic: string;
  readonly partition: number;
}

/** A window that has opened with a batch. */
export interface Leading extends Pick<DebouncedBatch, 'key' | 'openedAt' | 'firedAt'> {
  readonly item: BatchItem;
  /** Bytes of the value that came. */
  readonly takenBytes: number;
}

/** Items up to this length are encoded at once, in microseconds: a thousand windows that are due together may each be as long. */
const AT_ONCE_BYTES = 4 * 1024;

export class BatchVoice {
  readonly #parts: BatchVoiceParts;

  constructor(parts: BatchVoiceParts) {
    this.#parts = parts;
  }

  /** Returns the bytes that the items of one record may take, with a key of that length. */
  roomFor(keyLength: number): number {
    const { encoder } = this.#parts;
    return encoder.batchBytesMax - encoder.aroundBytes(keyLength);
  }

  /** Says the items of a window that fits one record; of a cancelled window none, however many it has. */
  fired(window: Omit<Fired, 'windowId'>, effects: Effects): void {
    const records = this.records(window);
    if (window.state.length > AT_ONCE_BYTES) effects.emitLater(records);
    else this.#sayAll(records, effects);
  }

  /** Returns the records of a window from `progress` on. */
  records(window: Omit<Fired, 'windowId'>, progress = 0): FiredWindow {
    const { encoder } = this.#parts;
    const { key, form, firstOffset } = window;
    const limits = { room: this.roomFor(key.length), aroundBytes: encoder.aroundBytes(key.length) };
    const weigh = form.weighing === encoder.weighing ? undefined : weighedBy(encoder);
    const fired = { ...window, windowId: this.#idOf(firstOffset) };
    return new FiredWindow(fired, { ...limits, weigh, progress }, this.#record);
  }

  #sayAll(records: LaterRecords, effects: Effects): void {
    while (!records.isOver) {
      const record = records.next();
      if (record !== undefined) effects.emit(record);
    }
  }

  /** Says the item that opened a window, which goes on for what follows. */
  leading({ key, item, takenBytes, ...at }: Leading, { reducer }: WindowForm, effects: Effects): void {
    const { offset } = item;
    const only = { part: 0, last: true, count: 1, duplicates: 0, bytes: takenBytes };
    const whole = { ...only, firstOffset: offset, lastOffset: offset, items: reducer === 'count' ? [] : [item] };
    effects.emit(this.#record({ key, windowId: this.#idOf(offset), reason: 'LEADING', ...at, ...whole }));
  }

  #idOf(firstOffset: number): string {
    return `${this.#parts.partition}-${firstOffset}`;
  }

  readonly #record = (batch: DebouncedBatch): UntimedRecord => {
    const { encoder, outputTopic, partition } = this.#parts;
    try {
      return { key: batch.key, value: encoder.encode(batch), headers: [] };
    } catch (error) {
      const { windowId, part } = batch;
      const what = `part ${part} of the window ${windowId} for ${outputTopic}/${partition}`;
      throw new Error(`${what} cannot be encoded: ${namedMessageOf(error)}`, { cause: error });
    }
  };
}

function weighedBy(encoder: DebouncedBatchEncoder): (value: Uint8Array) => number {
  return (value) => encoder.itemBytes(value, 0, value.length);
}
