// Operators' changes to topics behind Flatline's back, and the present state of topics.
import { alterInForce } from '@flatline/dev-broker';
import { type KafkaConnection, KafkaLogAdmin, type KafkaOptions, KafkaTopicAdmin, openCluster } from '@flatline/kafka';

async function withCluster<T>(kafka: KafkaOptions, use: (connection: KafkaConnection) => Promise<T>): Promise<T> {
  const connection = openCluster(kafka);
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}

/** Partitions of each topic; 0: there is no such topic. */
export function partitionCounts(kafka: KafkaOptions, topics: readonly string[]): Promise<number[]> {
  return withCluster(kafka, async (connection) => {
    const found = await new KafkaTopicAdmin({ clock: kafka.clock, connection }).describeTopics(topics);
    return found.map((topic) => (topic.kind === 'present' ? topic.partitions : 0));
  });
}

/** Records of a topic without transactions, or offsets used if it has them. */
export function offsetsUsed(kafka: KafkaOptions, topic: string, partitions: number): Promise<number> {
  return withCluster(kafka, async (connection) => {
    const admin = new KafkaLogAdmin({ clock: kafka.clock, connection });
    const ends = await Promise.all(
      Array.from({ length: partitions }, (_, partition) => admin.ends({ topic, partition })),
    );
    return ends.reduce((sum, { lastStableOffset }) => sum + lastStableOffset, 0);
  });
}

/** The eventual effect of retention: the records go, the offsets stay. */
export function truncate(kafka: KafkaOptions, topic: string, partitions: number): Promise<void> {
  return withCluster(kafka, async (connection) => {
    const admin = new KafkaLogAdmin({ clock: kafka.clock, connection });
    for (let partition = 0; partition < partitions; partition += 1) {
      const { lastStableOffset } = await admin.ends({ topic, partition });
      await admin.truncate({ topic, partition }, lastStableOffset);
    }
  });
}

/** A topic made by somebody else, with one replica. */
export async function createTopic(
  kafka: KafkaOptions,
  topic: string,
  { partitions, settings }: { readonly partitions: number; readonly settings: Readonly<Record<string, string>> },
): Promise<void> {
  await withCluster(kafka, (connection) =>
    new KafkaTopicAdmin({ clock: kafka.clock, connection }).createTopics([
      { topic, partitions, replicationFactor: 1, settings },
    ]),
  );
}

/** Sets anything that an operator's tools may set, whatever the effect. In force when this resolves. */
export function alterTopics(
  kafka: KafkaOptions,
  changes: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<void> {
  return withCluster(kafka, async (connection) => {
    const topics = Object.entries(changes).map(([topic, settings]) => ({ topic, settings }));
    await alterInForce(new KafkaTopicAdmin({ clock: kafka.clock, connection }), topics);
  });
}

/** The request of another application's consumer: OffsetCommit v2, of partition 0. */
export function commitOffset(kafka: KafkaOptions, group: string, topic: string, offset: number): Promise<void> {
  return withCluster(kafka, async (connection) => {
    const body = Buffer.concat([
      // No generation, no member, kept as long as the broker keeps offsets.
      text(group),
      int32(-1),
      text(''),
      int64(-1),
      int32(1),
      text(topic),
      int32(1),
      int32(0),
      int64(offset),
      int16(-1),
    ]);
    const request = { apiKey: 8, apiVersion: 2, apiName: 'OffsetCommit', body };
    // One topic, one partition: its code comes last in the answer. COORDINATOR_LOAD_IN_PROGRESS and the like pass.
    const passing = [14, 15, 16];
    for (let code = passing[0]!; passing.includes(code);) {
      const coordinator = await connection.coordinator('group', group);
      code = await connection.send(coordinator, request, (payload) => payload.readInt16BE(payload.length - 2));
      if (code !== 0 && !passing.includes(code)) throw new Error(`offset not committed: error code ${code}`);
    }
  });
}

/** The request of `kafka-topics.sh --alter --partitions`: CreatePartitions v0. */
export function growTopics(kafka: KafkaOptions, topics: readonly string[], partitions: number): Promise<void> {
  return withCluster(kafka, async (connection) => {
    const body = Buffer.concat([
      int32(topics.length),
      // No assignment of replicas by hand (−1).
      ...topics.flatMap((topic) => [int16(topic.length), Buffer.from(topic), int32(partitions), int32(-1)]),
      int32(15_000),
      Buffer.from([0]),
    ]);
    const request = { apiKey: 37, apiVersion: 0, apiName: 'CreatePartitions', body };
    const codes = await connection.send(await connection.controller(), request, errorCodes);
    if (codes.some((code) => code !== 0)) throw new Error(`partitions not added: error codes ${codes.join(', ')}`);
    // The controller knows before the brokers tell.
    for (;;) {
      const { topics: found } = await connection.refresh(topics);
      if (found.every((topic) => topic.partitions.filter(({ leader }) => leader >= 0).length === partitions)) return;
    }
  });
}

/** The request of `kafka-topics.sh --delete`: DeleteTopics v1. Resolves once no broker shows the topic. */
export function deleteTopic(kafka: KafkaOptions, topic: string): Promise<void> {
  return withCluster(kafka, async (connection) => {
    const body = Buffer.concat([int32(1), int16(topic.length), Buffer.from(topic), int32(15_000)]);
    const request = { apiKey: 20, apiVersion: 1, apiName: 'DeleteTopics', body };
    await connection.send(await connection.controller(), request, () => undefined);
    const admin = new KafkaTopicAdmin({ clock: kafka.clock, connection });
    while ((await admin.describeTopics([topic]))[0]!.kind !== 'missing');
  });
}

/** Throttle time, then per topic: name, error code, nullable message. */
function errorCodes(payload: Buffer): number[] {
  const codes: number[] = [];
  let at = 8;
  for (let left = payload.readInt32BE(4); left > 0; left -= 1) {
    at += 2 + payload.readInt16BE(at);
    codes.push(payload.readInt16BE(at));
    at += 4 + Math.max(0, payload.readInt16BE(at + 2));
  }
  return codes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([int16(value.length), Buffer.from(value)]);
}
