// Follows what is answered about leases, and gives each event, in the order of its partition.
//
// Owns: why answers cannot be read at present.
// Does not own: what is made of them (LeaseWatches, LeaseHolders), the reader's connections.
import type { Clock, Retriable } from '@flatline/base';
import type { LogReader, LogSubscription } from '@flatline/ports';
import type { LeaseEventFormats } from '@flatline/records/leases';
import type { HeardLease } from './heard-lease.ts';
import { type LeaseEventReader, leaseEventReading } from './output-kinds.ts';
import type { RawOutput } from './output-record.ts';
import { readPatiently } from './patient-reading.ts';

export type HeardEvent = HeardLease & { readonly leaseId: string };

export interface AnswerReaderParts {
  readonly clock: Clock;
  readonly formats: Pick<LeaseEventFormats, 'readOrWhy'>;
  readonly onHeard: (event: HeardEvent) => void;
  /** Aborted when nothing more is to be heard. */
  readonly ending: AbortSignal;
}

/** More of them are forgotten, and waited for once more. */
const GIVEN_UP_MAX = 1_000;

export class AnswerReader {
  readonly #parts: AnswerReaderParts;
  readonly #read: LeaseEventReader;
  /** By partition: what its next answer waits for. */
  readonly #unread = new Map<number, string>();
  /** Schemas that were waited for in vain: another record by one of them is passed over at once, while it is unknown. */
  readonly #givenUp = new Set<number>();

  constructor(parts: AnswerReaderParts) {
    this.#parts = parts;
    this.#read = leaseEventReading(parts.formats);
  }

  /** undefined: they can be read. */
  get unread(): string | undefined {
    const [first] = this.#unread.values();
    return first;
  }

  /** Until the subscriptions are closed. `starts`: where to begin, by partition. */
  async follow(reader: LogReader, topic: string, starts: ReadonlyMap<number, number>): Promise<void> {
    await Promise.all(
      [...starts].map(([partition, offset]) => this.#followOne(reader.subscribe({ topic, partition }, offset))),
    );
  }

  async #followOne(subscription: LogSubscription): Promise<void> {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        subscription.onChange(resolve);
      });
      for (let fetched = subscription.take(); fetched !== undefined; fetched = subscription.take()) {
        const { cursor } = fetched;
        while (cursor.next()) {
          if (cursor.valueLength <= 0) continue;
          const { offset, timestamp } = cursor;
          const value = cursor.bytes.slice(cursor.valueStart, cursor.valueStart + cursor.valueLength);
          await this.#hear({ offset, timestamp, value }, subscription);
        }
      }
      if (subscription.failure !== undefined) throw subscription.failure;
      await changed;
    }
  }

  /** Leases held are renewed without any answer: a registry that is away for a while, or behind, ends no lease. */
  async #hear(
    raw: Pick<RawOutput, 'offset' | 'timestamp' | 'value'>,
    { partition: { topic, partition } }: LogSubscription,
  ): Promise<void> {
    const { clock, ending, onHeard } = this.#parts;
    const onDelayed = ({ message }: Retriable): void => {
      this.#unread.set(partition, message);
    };
    const patience = { clock, topic, kind: { read: this.#read }, onDelayed, isToldOfUnreadable: true };
    const record = { ...raw, partition, key: NO_BYTES, headers: [] };
    const schema = schemaIdIn(raw.value);
    const atOnce = this.#givenUp.has(schema) ? await this.#read(record).catch(() => undefined) : undefined;
    const found =
      atOnce ??
      (await readPatiently(record, patience, ending).catch((error: unknown) => {
        if (!ending.aborted) throw error;
      }));
    this.#unread.delete(partition);
    if (found?.kind !== 'unreadable') this.#givenUp.delete(schema);
    else if (found.reason === 'unknown-schema-id' && this.#givenUp.size < GIVEN_UP_MAX) this.#givenUp.add(schema);
    if (found?.kind === 'leaseEvent') onHeard(found.event);
  }
}

/** The registry's id at the front of a value in Avro; 0: it has none. */
function schemaIdIn(value: Uint8Array | null): number {
  if (value === null || value.length < 5 || value[0] !== 0) return 0;
  return new DataView(value.buffer, value.byteOffset, value.byteLength).getUint32(1);
}

/** An event names its lease itself. */
const NO_BYTES = new Uint8Array(0);
