// Troubles, in words, that reading outputs meets and survives.
import type { DurationMs } from '@flatline/base';
import type { ConnectionEvent } from '@flatline/kafka';
import process from 'node:process';
import type { UnreadableRecord } from './output-record.ts';

/**
 * A broker or the schema registry does not answer, or that does not know a schema, and is asked again; records were removed before
 * the group has read them; a record is none of the outputs, and is passed over; or the lease of a task was lost, or is refused again
 * and again.
 */
export type Trouble =
  | { readonly kind: 'connection'; readonly broker: string; readonly message: string }
  | {
      readonly kind: 'gap';
      readonly partition: number;
      /** Where the group stood, and where it goes on. */
      readonly from: number;
      readonly to: number;
      readonly message: string;
    }
  | { readonly kind: 'registry'; readonly message: string }
  | { readonly kind: 'task'; readonly id: string; readonly message: string }
  | { readonly kind: 'unreadable'; readonly record: UnreadableRecord; readonly message: string };

/** Where an application does not say whom to tell. */
export const warn = ({ message }: { readonly message: string }): void => {
  process.emitWarning(message, 'FlatlineWarning');
};

/** Interval between reports of a broker, or an instance, that goes on failing. */
export const TELL_AGAIN_MS: DurationMs = 30_000;

/** Picks the failures to tell an application of: the first of a broker, and one each TELL_AGAIN_MS until it answers. */
export class ConnectionTroubles {
  readonly #toldAtMs = new Map<string, DurationMs>();

  hear(event: ConnectionEvent, nowMs: DurationMs): Trouble | undefined {
    const { broker } = event;
    if (event.kind === 'connected') {
      this.#toldAtMs.delete(broker);
      return undefined;
    }
    const toldAtMs = this.#toldAtMs.get(broker) ?? -Infinity;
    if (nowMs - toldAtMs < TELL_AGAIN_MS) return undefined;
    this.#toldAtMs.set(broker, nowMs);
    return {
      kind: 'connection',
      broker,
      message: `broker ${broker} does not answer, and is asked again: ${event.why}`,
    };
  }
}

/** Says when an application is told that the schema registry does not answer, or not know a schema: at once, and each TELL_AGAIN_MS. */
export class RegistryTroubles {
  #toldAtMs: DurationMs = -Infinity;

  hear(why: string, nowMs: DurationMs): Trouble | undefined {
    if (nowMs - this.#toldAtMs < TELL_AGAIN_MS) return undefined;
    this.#toldAtMs = nowMs;
    return { kind: 'registry', message: `${why} It is asked again; nothing is passed over meanwhile` };
  }
}

/** Says when an application is told that a task's lease is refused: from the second time on, one each TELL_AGAIN_MS. */
export class RefusalTroubles {
  #isFirst = true;
  #toldAtMs: DurationMs = -Infinity;

  hear(id: string, why: string, nowMs: DurationMs): Trouble | undefined {
    const wasFirst = this.#isFirst;
    this.#isFirst = false;
    if (wasFirst || nowMs - this.#toldAtMs < TELL_AGAIN_MS) return undefined;
    this.#toldAtMs = nowMs;
    return { kind: 'task', id, message: `task ${id} waits: ${why}. It is asked for again` };
  }
}

/** Says of which unreadable records an application is told: the first, and one each TELL_AGAIN_MS, with how many came between. */
export class UnreadableTroubles {
  #toldAtMs: DurationMs = -Infinity;
  #untold = 0;

  hear(topic: string, record: UnreadableRecord, nowMs: DurationMs): Trouble | undefined {
    if (nowMs - this.#toldAtMs < TELL_AGAIN_MS) {
      this.#untold += 1;
      return undefined;
    }
    const { partition, offset, reason, detail } = record;
    const more = this.#untold === 0 ? '' : `, and ${this.#untold} before it`;
    this.#toldAtMs = nowMs;
    this.#untold = 0;
    const message = `passed over the record at ${topic}-${partition}-${offset}${more}: ${reason}: ${detail}. onUnreadable is told of each`;
    return { kind: 'unreadable', record, message };
  }
}

export interface Stand {
  readonly topic: string;
  readonly group: string;
  readonly partition: number;
  readonly from: 'beginning' | 'end';
  /** Where the group stands; undefined: nowhere yet. */
  readonly committed: number | undefined;
  readonly logStartOffset: number;
  readonly lastStableOffset: number;
}

/** Where a group goes on, and what it can no longer read. */
export function goesOnAt(stand: Stand): { readonly offset: number; readonly gap: Trouble | undefined } {
  const { committed, logStartOffset: to, partition } = stand;
  if (committed === undefined)
    return { offset: stand.from === 'beginning' ? to : stand.lastStableOffset, gap: undefined };
  if (committed >= to) return { offset: committed, gap: undefined };
  const lost = `offsets ${committed} to ${to - 1} of ${stand.topic}-${partition} were removed by its retention before group ${stand.group} read them`;
  const message = `${lost}: it goes on at ${to}. Raise retention.ms of the topic above the longest time that no consumer runs`;
  return { offset: to, gap: { kind: 'gap', partition, from: committed, to, message } };
}
