// Items for the windows of a debounce pipeline, over one producer (B1–B3).
//
// Owns: what is dropped during an outage.
// Does not own: sending and sending again (the producer), windows (the pipeline).
//
// Invariants
//   PU1  Records of one key reach the log in the order of the calls, each once (KIP-98), but for those that were dropped.
//   PU2  Records waiting for their acknowledgement ≤ `bufferRecordsMax`.
import { type Clock, type DurationMs, Retriable, utf8Of } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import { COMMAND_HEADER, FLUSH, MAX_WAIT_HEADER, WAIT_HEADER } from '@flatline/ports/formats';
import { withinDeadline } from '@flatline/system';
import { type Duration, durationMs } from './check-times.ts';
import { checkCall, checkKey } from './known-options.ts';
import {
  headersOf,
  keyBytes,
  type RecordHeaders,
  type RecordKey,
  type RecordValue,
  valueBytes,
} from './message-bytes.ts';
import type { RecordProducer } from './record-producer.ts';

export interface PushOptions {
  /** Kept with the item, for `dedupeBy` and a reducer of one's own. None of them begins with `flatline-`. Default: none. */
  readonly headers?: RecordHeaders;
  /** How long the window waits for more from this item on (B1), at most its `maxWaitMs`: '2s', or milliseconds. Default: the pipeline's. */
  readonly waitMs?: Duration;
  /** How long the window that this item opens may wait in all: '1m', or milliseconds. Default: the pipeline's. */
  readonly maxWaitMs?: Duration;
  /** true: the window fires at once, with this item. Default false. */
  readonly flush?: boolean;
}

export interface DroppedItems {
  readonly items: number;
  readonly fires: number;
  readonly cancels: number;
}

export interface ItemsLimits {
  /** Records that may wait for the broker. Default 100 000. What comes beyond is dropped. */
  readonly bufferRecordsMax?: number;
  /** Told of each record that is dropped. Default: none; they are counted in `dropped`. */
  readonly onDropped?: (kind: keyof DroppedItems, key: RecordKey) => void;
}

/**
 * Items of windows, by key. Each call says whether its record was taken: not taken is what more records wait for the broker than
 * may, of which `onDropped` and `dropped` tell; `flush` resolves once there is room again.
 */
export interface Items {
  /**
   * One more item for the window of the key: bytes as they are, text in UTF-8, anything else as JSON. Throws a TypeError for what
   * is none of these, BadInput for a key that no pipeline takes, RecordTooLarge for what the topic does not take.
   */
  push(key: RecordKey, value: RecordValue, options?: PushOptions): boolean;
  /** Fires the window of the key now, without another item. */
  fire(key: RecordKey): boolean;
  /** Discards what the window of the key holds. */
  cancel(key: RecordKey): boolean;
  /** Records dropped so far. */
  readonly dropped: DroppedItems;
  /** Resolves when everything so far is in the log; rejects naming what is not. */
  flush(): Promise<void>;
  /** Takes nothing more: rejects where what was taken is not in the log within `limitMs`, by default 10 000 milliseconds. */
  close(limitMs?: DurationMs): Promise<void>;
}

export interface PushedItemsParts extends ItemsLimits {
  readonly producer: Pick<RecordProducer, 'add' | 'waitingCount'>;
}

const CLOSE_MS: DurationMs = 10_000;
const BUFFER_RECORDS_MAX = 100_000;

/** Items over a producer of the input, which is theirs from now on. */
export function itemsOver(producer: RecordProducer, limits: ItemsLimits, clock: Clock): Items {
  const pushed = new PushedItems({ ...limits, producer });
  let closing: Promise<void> | undefined;
  const close = (limitMs: DurationMs): Promise<void> => {
    pushed.end();
    return withinDeadline(clock, limitMs, producer.close(), () => {
      return new Retriable(`${producer.waitingCount} records of items were not acknowledged within ${limitMs} ms`);
    });
  };
  return {
    push: (key, value, options) => pushed.push(key, value, options),
    fire: (key) => pushed.fire(key),
    cancel: (key) => pushed.cancel(key),
    get dropped() {
      return pushed.dropped;
    },
    flush: () => producer.flush(),
    close: (limitMs = CLOSE_MS) => (closing ??= close(limitMs)),
  };
}

export class PushedItems {
  readonly #parts: PushedItemsParts;
  readonly #dropped = { items: 0, fires: 0, cancels: 0 };
  /** The producer's bytes are full. */
  #full = false;
  #closed = false;

  constructor(parts: PushedItemsParts) {
    this.#parts = parts;
  }

  get dropped(): DroppedItems {
    return { ...this.#dropped };
  }

  push(key: RecordKey, value: RecordValue, options: PushOptions = {}): boolean {
    checkKey('push', key);
    checkCall('push', options);
    const { headers, waitMs, maxWaitMs, flush } = options;
    const bytes = valueBytes('push', value, 'cancel(key) drops the window');
    const asked = [
      ...headersOf('push', headers),
      ...waitIn(WAIT_HEADER, waitMs),
      ...waitIn(MAX_WAIT_HEADER, maxWaitMs),
      ...(flush === true ? [FIRE] : []),
    ];
    return this.#send('items', key, { value: bytes, headers: asked });
  }

  fire(key: RecordKey): boolean {
    checkKey('fire', key);
    return this.#send('fires', key, { value: null, headers: [FIRE] });
  }

  cancel(key: RecordKey): boolean {
    checkKey('cancel', key);
    return this.#send('cancels', key, { value: null, headers: [] });
  }

  /** Takes nothing more. */
  end(): void {
    this.#closed = true;
  }

  #send(
    kind: keyof DroppedItems,
    key: RecordKey,
    record: { readonly value: Uint8Array | null; readonly headers: readonly RecordHeader[] },
  ): boolean {
    const { producer, bufferRecordsMax = BUFFER_RECORDS_MAX, onDropped } = this.#parts;
    if (this.#closed) throw new Error('these items are closed: open others');
    const keyed = { key: keyBytes(key), ...record };
    if (this.#full || producer.waitingCount >= bufferRecordsMax) {
      this.#dropped[kind] += 1;
      onDropped?.(kind, key);
      return false;
    }
    const room = producer.add(keyed);
    if (room !== undefined) this.#awaitRoom(room);
    return true;
  }

  /** An error that ends the producer is thrown by the next call. */
  #awaitRoom(room: Promise<void>): void {
    this.#full = true;
    const again = (): void => {
      this.#full = false;
    };
    room.then(again, again);
  }
}

const FIRE: RecordHeader = { name: COMMAND_HEADER, value: utf8Of(FLUSH) };

function waitIn(name: string, wait: Duration | undefined): RecordHeader[] {
  return wait === undefined ? [] : [{ name, value: utf8Of(String(durationMs(wait))) }];
}
