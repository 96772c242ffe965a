// One courier in virtual time, with a group and a writer around it that remember what they were told.
import { seededRandom } from '@flatline/base';
import type { EndpointConfig, NotifiedPipeline } from '@flatline/config';
import { type Delivery, Gate, type Outcome } from '@flatline/deliveries';
import type {
  LogReader,
  OutgoingRecord,
  RecordHeader,
  TopicPartition,
  Transaction,
  TransactionalWriter,
} from '@flatline/ports';
import { keptRecord, ownRecord } from '../records/delivery-record.ts';
import { VirtualClock } from '../virtual-clock.fixture.ts';
import { Courier } from './courier.ts';

export interface CourierWorldOptions {
  readonly startFrom?: 'earliest' | 'latest';
  /** Deliveries that were kept, to be attempted. */
  readonly held?: readonly Delivery[];
  /** Whose record each of them is said to be. */
  readonly heldOf?: string;
  /** A record that is due. */
  readonly due?: OutgoingRecord;
  /** Outputs that have come, from offset 0 on. */
  readonly outputs?: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[];
  /** When all of these have come, after the start. Default: at once. */
  readonly comeAfterMs?: number;
  /** Rules of the endpoint. */
  readonly rules?: Partial<EndpointConfig>;
  readonly attempt?: (end: AbortSignal, delivery: Delivery) => Promise<Outcome>;
  /** Called before each commit. @throws what the commit throws */
  readonly onCommit?: () => void;
  /** How long each commit takes, by its number from 1. Default: no time. */
  readonly commitMs?: (number: number) => number;
}

interface FetchedRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly headers?: readonly RecordHeader[];
}

/** Records that are fetched one by one, and once. */
function takenOnce(records: readonly FetchedRecord[], from: number) {
  const fetched = records.map(({ key, value, headers }, offset) => {
    const place = { bytes: Buffer.concat([key, value]), keyStart: 0, keyLength: key.length, valueStart: key.length };
    const record = { ...place, offset, timestamp: 1, logAppendTime: true, valueLength: value.length };
    const left = [true];
    const said = { hasHeaders: headers !== undefined, headers: () => headers };
    return { cursor: { ...record, ...said, next: () => left.pop() ?? false }, nextOffset: offset + 1 };
  });
  fetched.splice(0, from);
  return () => fetched.shift();
}

/** By topic, what is fetched of it. */
function readerOf({ outputs = [], due, comeAfterMs = 0 }: CourierWorldOptions, clock: VirtualClock): LogReader {
  const records: Readonly<Record<string, readonly FetchedRecord[]>> = {
    visits: outputs,
    'visits.deliveries.due': due === undefined ? [] : [due as FetchedRecord],
  };
  const subscribe = (partition: TopicPartition, offset: number) => {
    const take = takenOnce(records[partition.topic] ?? [], offset);
    const onChange = (listener: (() => void) | undefined): void => {
      if (listener !== undefined && comeAfterMs > 0) clock.after(comeAfterMs, listener);
    };
    return { ...QUIET, partition, onChange, take: () => (clock.monotonicMs() < comeAfterMs ? undefined : take()) };
  };
  return { subscribe } as unknown as LogReader;
}

export const MAX_IN_FLIGHT = 2;
const ENDPOINT = { name: 'sink', order: 'none', supersede: false, timeoutMs: 1_000 };
const QUIET = { failure: undefined, onChange: () => undefined, close: () => undefined };
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Where both logs end. */
export const END = 100;

export class CourierWorld {
  readonly clock = new VirtualClock();
  readonly commits: Transaction[] = [];
  readonly committed = new Map<string, number>();
  readonly courier: Courier;
  opened = 0;
  /** As the group says. */
  isOurs = true;

  constructor(options: CourierWorldOptions) {
    const { startFrom = 'earliest', held = [], heldOf = 'shop', rules, attempt } = options;
    this.courier = new Courier({
      clock: this.clock,
      random: seededRandom(1),
      log: SILENT,
      notified: {
        pipeline: { name: 'visits', kind: 'session', output: { topic: 'visits' } },
        deliveries: { input: { topic: 'visits.deliveries' }, output: { topic: 'visits.deliveries.due' } },
        undeliverableTopic: 'visits.undeliverable',
        application: 'shop',
        group: 'visits.notifier',
      } as unknown as NotifiedPipeline,
      partition: 0,
      ways: [
        {
          endpoint: { ...ENDPOINT, ...rules } as unknown as EndpointConfig,
          gate: new Gate({ maxInFlight: MAX_IN_FLIGHT, maxPerSecond: undefined }),
          sender: {
            attempt: (delivery, end) => attempt?.(end, delivery) ?? Promise.resolve({ kind: 'delivered' }),
            close: () => Promise.resolve(),
          },
        },
      ],
      reader: readerOf(options, this.clock),
      writers: {
        timeoutMs: 1_000,
        open: () => {
          this.opened += 1;
          return Promise.resolve(this.#writer(options) as never);
        },
      },
      transactionalId: 'shop.visits.notifier.0',
      admin: {
        committedOffset: (_, { topic }) => {
          const offset = this.committed.get(topic);
          return Promise.resolve(offset === undefined ? undefined : { offset, metadata: '' });
        },
        ends: () => Promise.resolve({ logStartOffset: 0, lastStableOffset: END }),
      },
      scan: {
        bounds: () => Promise.resolve({ logStartOffset: 0, lastStableOffset: 0, highWatermark: 0 }),
        read: () => Promise.reject(new Error('there is nothing to read')),
      },
      isOurs: () => Promise.resolve(this.isOurs),
      startFrom,
      readState: () =>
        Promise.resolve({
          position: 0,
          entries: () =>
            held.map((delivery) => {
              const { key, value, headers = [] } = ownRecord(keptRecord(delivery, 'held', 1), heldOf);
              return { key: key!, value: value!, headers, dueAt: 1 };
            }),
        }),
    });
  }

  #writer({ onCommit, commitMs }: CourierWorldOptions): Pick<TransactionalWriter, 'timeoutMs' | 'commit' | 'close'> {
    return {
      timeoutMs: 1_000,
      commit: async (transaction) => {
        onCommit?.();
        this.commits.push(transaction);
        for (const { topic, offset } of transaction.offsets) this.committed.set(topic, offset);
        const tookMs = commitMs?.(this.commits.length) ?? 0;
        if (tookMs > 0) await new Promise<void>((resolve) => this.clock.after(tookMs, resolve));
        return [];
      },
      close: () => Promise.resolve(),
    };
  }
}
