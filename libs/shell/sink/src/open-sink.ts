// A sink with its connections: what a command runs.
import { count, type DurationMs, Fatal, type KindName } from '@flatline/base';
import {
  KafkaLogAdmin,
  KafkaLogReader,
  KafkaMembership,
  KafkaTopicAdmin,
  type KafkaOptions,
  openCluster,
} from '@flatline/kafka';
import type { Format, SchemaRegistry } from '@flatline/records';
import { KIND_TABLES } from './kind-tables.ts';
import { PostgresTarget } from './postgres-target.ts';
import { BATCH_BYTES_MAX } from './sink-batch.ts';
import { sinkReading } from './sink-reading.ts';
import { SinkRun } from './sink-run.ts';
import type { TableName } from './table-name.ts';
import { toldSeldom } from './told-seldom.ts';

export interface SinkOptions {
  readonly kafka: KafkaOptions;
  readonly registry: SchemaRegistry | undefined;
  readonly kind: KindName;
  /** How the pipeline writes the topic. */
  readonly format: Format;
  readonly topic: string;
  readonly group: string;
  /** How long a member that is dead is waited for. Default: that of the membership. */
  readonly membership: { readonly sessionTimeoutMs?: DurationMs; readonly heartbeatIntervalMs?: DurationMs };
  readonly database: string | undefined;
  readonly name: TableName;
  /** Makes tables that are not there. */
  readonly create: boolean;
  readonly writer: string;
  /** Bytes of keys and values in one transaction. */
  readonly bytesMax?: number | undefined;
  readonly untilEnd: boolean;
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
  readonly onProgress: (written: SinkProgress) => void;
}

/** Since the start. */
export interface SinkProgress {
  /** Read, counting those that become no row. */
  readonly records: number;
  readonly rows: number;
  /** Rows that were there already. */
  readonly repeated: number;
  readonly unreadable: number;
}

/** Records that are no outputs are reported one by one up to this number; of more, one now and then. */
const TOLD_MAX = 10;

/** Resolves once it is stopped. @throws Misconfigured, Fatal, PartitionStopped, Retriable */
export async function runSink(options: SinkOptions): Promise<SinkProgress> {
  const { kafka, topic, group, signal, onNote, onProgress, kind: name } = options;
  const { clock } = kafka;
  const connection = openCluster(kafka);
  const reader = new KafkaLogReader(kafka);
  const admin = new KafkaLogAdmin({ clock, connection });
  let target: PostgresTarget | undefined;
  try {
    const topicId = await topicIdOf(new KafkaTopicAdmin({ clock, connection }), topic);
    const table = KIND_TABLES[name];
    const { database: url, name: tableName, writer, create } = options;
    const onAway = toldSeldom(clock, (why) => {
      onNote(`the database does not answer, and is asked again: ${why}`);
    });
    target = await PostgresTarget.open(
      { clock, url, name: tableName, table, topic, topicId, writer, signal, onAway },
      create,
    );
    const progress = { records: 0, rows: 0, repeated: 0, unreadable: 0 };
    const seldom = toldSeldom(clock, onNote);
    const onUnreadable = (where: string): void => {
      progress.unreadable += 1;
      if (progress.unreadable <= TOLD_MAX) onNote(`passed over ${where}`);
      else seldom(`passed over ${count(progress.unreadable)} records so far, and now ${where}`);
    };
    const run = new SinkRun({
      clock,
      topic,
      reader,
      target,
      signal,
      onNote,
      membership: new KafkaMembership({
        clock,
        connection: openCluster(kafka),
        group,
        topics: [topic],
        name: kafka.clientId,
        localCheckpoints: () => Promise.resolve([]),
        ...options.membership,
      }),
      bytesMax: options.bytesMax ?? BATCH_BYTES_MAX,
      untilEnd: options.untilEnd,
      endsOf: async (partition) => {
        const { logStartOffset, lastStableOffset } = await admin.ends({ topic, partition });
        return { start: logStartOffset, end: lastStableOffset };
      },
      read: sinkReading(name, options, onUnreadable),
      onWritten: ({ records, rows, repeated }) => {
        progress.records += records;
        progress.rows += rows;
        progress.repeated += repeated;
        onProgress(progress);
      },
    });
    await run.run();
    return progress;
  } finally {
    connection.close();
    await reader.close();
    await target?.close();
  }
}

async function topicIdOf(admin: KafkaTopicAdmin, topic: string): Promise<string> {
  const [found] = await admin.describeTopics([topic]);
  if (found?.kind === 'present') return found.topicId;
  throw new Fatal(
    found?.kind === 'unauthorized'
      ? `topic ${topic} may not be read by this user: allow it DESCRIBE and READ`
      : `topic ${topic} does not exist: create it with flatline topics create, or correct its name`,
  );
}
