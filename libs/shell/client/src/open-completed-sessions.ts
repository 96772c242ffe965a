// Closed sessions for a group of consumers, over connections of their own.
import type { DurationMs } from '@flatline/base';
import {
  BatchProducer,
  type ConnectionEvent,
  KafkaLogAdmin,
  KafkaLogReader,
  KafkaMembership,
  type KafkaOptions,
  openCluster,
} from '@flatline/kafka';
import { INCARNATION_HEADER } from '@flatline/ports';
import type { SessionSummary } from '@flatline/ports/formats';
import { openSummaryEncoder, type SchemaRegistry, SummaryFormats } from '@flatline/records';
import { CompletedSessions } from './completed-sessions.ts';
import process from 'node:process';
import { handleEach, type Retries } from './handled-sessions.ts';
import { ConnectionTroubles, goesOnAt, type Trouble } from './trouble.ts';
import type { SummaryRecord, UnreadableRecord } from './output-record.ts';

export interface CompletedSessionsOptions {
  /** The output topic of a pipeline. */
  readonly topic: string;
  /** Consumers of one group share the partitions, and go on where the group stands. */
  readonly group: string;
  /** Where a group begins that stands nowhere yet. Default `beginning`. */
  readonly from?: 'beginning' | 'end';
  /** How the topic is written. Default `auto`: told apart by the first byte. */
  readonly format?: 'auto' | 'json' | 'avro';
  /** How long a handled session may wait for its position to be committed. In milliseconds; default 1 000. */
  readonly commitIntervalMs?: DurationMs;
  /** Ends the iteration; the session that was given last counts as handled then. Default: none. */
  readonly signal?: AbortSignal;
  /** Told of records that are no summaries; they are passed over. Default: none. */
  readonly onUnreadable?: (record: UnreadableRecord) => void;
  /** Told of what is in the way and does not end it. Default: a warning of the process (`process.emitWarning`). */
  readonly onTrouble?: (trouble: Trouble) => void;
}

/** A session that has closed, once the transaction that says so was committed. */
export interface CompletedSession extends SummaryRecord {
  /** `<incarnation>/<revision>`: the same session is given again after a crash or a rebalance, under the same id. */
  readonly id: string;
}

export interface HandlingOptions extends CompletedSessionsOptions {
  /** Called for one session after another, and again where it throws or rejects. */
  readonly handler: (session: CompletedSession) => unknown;
  /** Default: 5 attempts, with pauses from 100 milliseconds to 10 000. */
  readonly retries?: Retries;
  /**
   * A topic for sessions that no attempt has managed: the summary in JSON under its key, with the headers
   * `flatline-incarnation` and `flatline-error`. Default: none, and the handler's last error ends the handling.
   */
  readonly deadLetterTopic?: string;
}

export interface Surroundings {
  readonly kafka: KafkaOptions;
  readonly registry: SchemaRegistry | undefined;
}

const warn = ({ message }: Trouble): void => {
  process.emitWarning(message, 'FlatlineWarning');
};
const COMMIT_INTERVAL_MS: DurationMs = 1_000;
const utf8 = new TextEncoder();

export async function* completedSessions(
  options: CompletedSessionsOptions,
  { kafka: connecting, registry }: Surroundings,
): AsyncGenerator<CompletedSession, void> {
  const { topic, group, from = 'beginning', format = 'auto', commitIntervalMs = COMMIT_INTERVAL_MS } = options;
  const { onTrouble = warn } = options;
  const { clock } = connecting;
  const troubles = new ConnectionTroubles();
  const onConnection = (event: ConnectionEvent): void => {
    const trouble = troubles.hear(event, clock.monotonicMs());
    if (trouble !== undefined) onTrouble(trouble);
  };
  const kafka = { ...connecting, onConnection };
  const connection = openCluster(kafka);
  const admin = new KafkaLogAdmin({ clock, connection });
  const reader = new KafkaLogReader(kafka);
  const membership = new KafkaMembership({
    clock,
    connection: openCluster(kafka),
    group,
    topics: [topic],
    name: kafka.clientId,
    localCheckpoints: () => Promise.resolve([]),
  });
  const startOf = async (partition: number): Promise<number> => {
    const { logStartOffset, lastStableOffset } = await admin.ends({ topic, partition });
    const committed = await admin.committedOffset(group, { topic, partition });
    const ends = { logStartOffset, lastStableOffset, committed: committed?.offset };
    const { offset, gap } = goesOnAt({ topic, group, partition, from, ...ends });
    if (gap !== undefined) onTrouble(gap);
    return offset;
  };
  const { signal, onUnreadable } = options;
  const formats = new SummaryFormats({ format, registry, clock });
  const parts = { clock, topic, reader, formats, membership, startOf, commitIntervalMs, signal, onUnreadable };
  try {
    for await (const record of new CompletedSessions(parts).iterate())
      yield { ...record, id: `${record.summary.incarnation}/${record.summary.revision}` };
  } finally {
    connection.close();
    await reader.close();
  }
}

export async function handleCompletedSessions(options: HandlingOptions, surroundings: Surroundings): Promise<void> {
  const { handler, retries, deadLetterTopic, signal } = options;
  const { clock } = surroundings.kafka;
  const letters = deadLetterTopic === undefined ? undefined : await openLetters(deadLetterTopic, surroundings);
  try {
    const deadLetter = letters?.write;
    await handleEach(completedSessions(options, surroundings), { clock, handler, retries, deadLetter, signal });
  } finally {
    await letters?.close();
  }
}

async function openLetters(
  topic: string,
  { kafka }: Surroundings,
): Promise<{ write: (session: SummaryRecord, why: string) => Promise<void>; close: () => Promise<void> }> {
  const connection = openCluster(kafka);
  const producer = await BatchProducer.open({ clock: kafka.clock, connection, topic }).catch((error: unknown) => {
    connection.close();
    throw error;
  });
  const encoder = await openSummaryEncoder('json', topic, undefined);
  return {
    write: async ({ summary }, why) => {
      const headers = [
        { name: INCARNATION_HEADER, value: utf8.encode(summary.incarnation) },
        { name: 'flatline-error', value: utf8.encode(why) },
      ];
      await producer.add({ key: summary.key, value: encoder.encode(summary as SessionSummary), headers });
      await producer.flush();
    },
    close: async () => {
      await producer.close().finally(() => {
        connection.close();
      });
    },
  };
}
