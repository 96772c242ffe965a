// What is said of windows: batches, encoded when they are decided.
//
// Owns: nothing.      Does not own: when a window fires (DebounceKind).
import { type Millis, namedMessageOf } from '@flatline/base';
import type { BatchItem, BatchReason, DebouncedBatch, DebouncedBatchEncoder } from '@flatline/ports/formats';
import type { Effects } from '../contract.ts';

export interface BatchVoiceParts {
  readonly encoder: DebouncedBatchEncoder;
  readonly outputTopic: string;
  readonly partition: number;
}

/** A window that fires. */
export interface FiredWindow {
  readonly key: Uint8Array;
  readonly reason: BatchReason;
  readonly firstOffset: number;
  readonly openedAt: Millis;
  readonly firedAt: Millis;
  /** At most what the items take in a batch. */
  readonly batchBytes: number;
  /** At least one. */
  readonly items: readonly BatchItem[];
}

export class BatchVoice {
  readonly #parts: BatchVoiceParts;

  constructor(parts: BatchVoiceParts) {
    this.#parts = parts;
  }

  /** Says the items, in as many parts as they need; of a cancelled window none. */
  fired({ firstOffset, items, batchBytes, ...window }: FiredWindow, effects: Effects): void {
    const common = {
      ...window,
      windowId: `${this.#parts.partition}-${firstOffset}`,
      count: items.length,
      bytes: items.reduce((sum, { value }) => sum + value.length, 0),
      firstOffset: items[0]!.offset,
      lastOffset: items.at(-1)!.offset,
    };
    const { encoder } = this.#parts;
    const room = encoder.batchBytesMax - encoder.aroundBytes(window.key.length);
    const whole = batchBytes <= room ? [items] : this.#partsOf(items, room);
    const parts = window.reason === 'CANCELLED' ? [[]] : whole;
    parts.forEach((each, part) => {
      this.#say({ ...common, part, last: part === parts.length - 1, items: each }, effects);
    });
  }

  /** In order, each as long as a record may be. */
  #partsOf(items: readonly BatchItem[], room: number): BatchItem[][] {
    const { encoder } = this.#parts;
    const parts: BatchItem[][] = [[]];
    let left = room;
    for (const item of items) {
      const bytes = encoder.itemBytes(item.value, 0, item.value.length);
      if (bytes > left) {
        parts.push([]);
        left = room;
      }
      parts.at(-1)!.push(item);
      left -= bytes;
    }
    return parts;
  }

  #say(batch: DebouncedBatch, effects: Effects): void {
    effects.emit({ key: batch.key, value: this.#encoded(batch), headers: [] });
  }

  #encoded(batch: DebouncedBatch): Uint8Array {
    const { encoder, outputTopic, partition } = this.#parts;
    try {
      return encoder.encode(batch);
    } catch (error) {
      const { windowId, part } = batch;
      const what = `part ${part} of the window ${windowId} for ${outputTopic}/${partition}`;
      throw new Error(`${what} cannot be encoded: ${namedMessageOf(error)}`, { cause: error });
    }
  }
}
