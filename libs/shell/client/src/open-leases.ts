// Leases over connections of a client: what an application has of them.
import type { Clock, DurationMs, Millis } from '@flatline/base';
import { AcknowledgedWriter, KafkaLogReader, type KeyedRecord } from '@flatline/kafka';
import type { LogReader } from '@flatline/ports';
import type { SchemaRegistry } from '@flatline/records';
import { LeaseEventFormats } from '@flatline/records/leases';
import { randomUUID } from 'node:crypto';
import { checkStamped } from './check-stamped.ts';
import { checkCall, checkFunction, checkLeaseId, checkToken } from './known-options.ts';
import type { LeaderOptions, Leadership } from './leadership.ts';
import type { LeaseStanding } from './lease-watch.ts';
import type { Lease, LeaseWish, ResumeOptions, WatchOptions } from './lease.ts';
import { HeldLeases } from './leases.ts';
import { endsOf } from './open-summary-consumer.ts';
import { CLOSE_MS, FOR_EVER_MS, type Shared } from './open-senders.ts';

export interface LeasesOptions {
  /** The input and the output topic of a pipeline of the kind `lease`, whose input is stamped by the brokers. */
  readonly topic: string;
  readonly answers: string;
  /** By how much the brokers' clocks may differ: a lease is given up so much earlier. In milliseconds; default 500. */
  readonly clockSkewMs?: DurationMs;
  /** How long to wait for an answer to a request that is in the log. In milliseconds; default 30 000. */
  readonly answerWithinMs?: DurationMs;
}

/** Leases that are renewed by themselves, at a third of their timeout. */
export interface Leases {
  /**
   * Resolves once the lease is held: at once, or after waiting where the pipeline queues. Rejects with `LeaseNotGot` where it is
   * refused, or not answered in time. While no broker takes the request, it waits.
   */
  acquire(id: string, wish?: LeaseWish): Promise<Lease>;
  /**
   * Goes on with a lease whose token is known, after a restart or on another server; whoever held it so far is over, with
   * `RESUMED`. Rejects with `LeaseNotGot` where it has ended (`WRONG_TOKEN` where another holds it by a later grant), or nothing is answered
   * in time. It is renewed as others are, but counts on answers: without any for its timeout it is over.
   */
  resume(id: string, token: number, options?: ResumeOptions): Promise<Lease>;
  /**
   * Who holds a lease, and each change; a reader that is slow gets the newest. It begins with what the pipeline says when it is
   * asked, by a record that changes nothing: whether somebody holds it, with whose attributes, and until when at least. It cannot
   * say by which token, nor hear of renewals. Without an answer in time it begins with `unknown`.
   */
  watch(id: string, options?: WatchOptions): AsyncIterableIterator<LeaseStanding>;
  /**
   * Has `lead` run while the lease is held, and asks for it again when it was lost, refused, or `lead` has returned: until `signal`
   * or `close` ends it, with which it resolves. Rejects with what `lead` throws while it leads.
   */
  runWhileLeader(id: string, lead: (leadership: Leadership) => unknown, options?: LeaderOptions): Promise<void>;
  /**
   * Gives back what is held; of `runWhileLeader` once what leads has returned, which it waits for. Rejects where that is not in
   * the log within `limitMs`, by default 10 000 milliseconds; what is still led then is not given back, and expires.
   * Not to be awaited by what leads: it would wait for itself.
   */
  close(limitMs?: DurationMs): Promise<void>;
}

const CLOCK_SKEW_MS: DurationMs = 500;
const ANSWER_WITHIN_MS: DurationMs = 30_000;

export async function openLeases(
  options: LeasesOptions,
  { kafka, clock, connection, registry }: Shared,
): Promise<Leases> {
  const { topic, answers } = options;
  await checkStamped(topic, { clock, connection });
  const ends = await endsOf(kafka, answers);
  const producer = await AcknowledgedWriter.open({
    clock,
    connection,
    topic,
    lingerMs: 0,
    deliveryTimeoutMs: FOR_EVER_MS,
  });
  const reader = new KafkaLogReader(kafka);
  const held = leasesOver(options, {
    clock,
    reader,
    registry,
    starts: new Map(ends.map(({ partition, end }) => [partition, end])),
    write: (record) => producer.write(record),
    newRequestId: randomUUID,
  });
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await Promise.all([reader.close(), producer.close()]);
  };
  return {
    acquire: async (id, wish = {}) => {
      checkLeaseId('acquire', id);
      checkCall('acquire', wish);
      return await held.acquire(id, wish);
    },
    resume: async (id, token, options = {}) => {
      checkLeaseId('resume', id);
      checkToken('resume', token);
      checkCall('resume', options);
      return await held.resume(id, token, options);
    },
    watch: (id, options = {}) => {
      checkLeaseId('watch', id);
      checkCall('watch', options);
      return held.watch(id, options);
    },
    runWhileLeader: async (id, lead, options = {}) => {
      checkLeaseId('runWhileLeader', id);
      checkFunction('runWhileLeader', 'what leads', lead);
      checkCall('runWhileLeader', options);
      await held.lead(id, lead, options);
    },
    close: (limitMs = CLOSE_MS) => (closing ??= held.close(limitMs, end)),
  };
}

/** Ports by which leases are kept. */
export interface LeasePorts {
  readonly clock: Clock;
  /** As AcknowledgedWriter.write. */
  readonly write: (record: KeyedRecord) => Promise<Millis | undefined>;
  readonly reader: LogReader;
  /** Where answers are read from, by partition. */
  readonly starts: ReadonlyMap<number, number>;
  readonly registry: SchemaRegistry | undefined;
  readonly newRequestId: () => string;
}

/** The same over ports, which stay open. */
export function leasesOver(
  { topic, answers, clockSkewMs = CLOCK_SKEW_MS, answerWithinMs = ANSWER_WITHIN_MS }: LeasesOptions,
  { clock, write, reader, starts, registry, newRequestId }: LeasePorts,
): HeldLeases {
  const held = new HeldLeases({ clockSkewMs, answerWithinMs, topic, answers, clock, write, newRequestId });
  const formats = new LeaseEventFormats({ format: 'auto', registry, clock });
  held.follow(reader, answers, starts, formats).catch((error: unknown) => {
    held.fail(error);
  });
  return held;
}
