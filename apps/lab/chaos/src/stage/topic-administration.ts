// Operators' changes to topics behind Flatline's back, by the requests of their tools.
import { type KafkaConnection, type KafkaOptions, KafkaTopicAdmin, type NewTopic, openCluster } from '@flatline/kafka';
import { sleep } from './sleep.ts';

const ADMIN_TIMEOUT_MS = 15_000;

export async function createTopic(kafka: KafkaOptions, topic: NewTopic): Promise<void> {
  const connection = openCluster(kafka);
  try {
    await new KafkaTopicAdmin({ clock: kafka.clock, connection }).createTopics([topic]);
  } finally {
    connection.close();
  }
}

/** DeleteTopics v1. */
export function deleteTopics(kafka: KafkaOptions, topics: readonly string[]): Promise<void> {
  return withController(kafka, async (connection, controller) => {
    const body = Buffer.concat([int32(topics.length), ...topics.map(string), int32(ADMIN_TIMEOUT_MS)]);
    const request = { apiKey: 20, apiVersion: 1, apiName: 'DeleteTopics', body };
    const codes = await connection.send(controller, request, codesOf);
    if (codes.some((code) => code !== 0)) throw new Error(`topics not deleted: error codes ${codes.join(', ')}`);
  });
}

/** CreatePartitions v0. */
export function growTopic(kafka: KafkaOptions, topic: string, partitions: number): Promise<void> {
  return withController(kafka, async (connection, controller) => {
    const body = Buffer.concat([
      // One topic, without an assignment of replicas by hand (−1).
      int32(1),
      string(topic),
      int32(partitions),
      int32(-1),
      int32(ADMIN_TIMEOUT_MS),
      Buffer.from([0]),
    ]);
    const request = { apiKey: 37, apiVersion: 0, apiName: 'CreatePartitions', body };
    const [code] = await connection.send(controller, request, codesOf);
    if (code !== 0) throw new Error(`partitions not added: error code ${code}`);
  });
}

/** Retries until the deletion is over: it goes on after it is acknowledged. */
export async function recreateTopic(kafka: KafkaOptions, topic: NewTopic): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await createTopic(kafka, topic);
      return;
    } catch (error) {
      if (tries === 20) throw error;
      await sleep(250);
    }
  }
}

async function withController(
  kafka: KafkaOptions,
  use: (connection: KafkaConnection, controller: number) => Promise<void>,
): Promise<void> {
  const connection = openCluster(kafka);
  try {
    await use(connection, await connection.controller());
  } finally {
    connection.close();
  }
}

/** Throttle time, then per topic: name, error code. */
function codesOf(payload: Buffer): number[] {
  const codes: number[] = [];
  let at = 8;
  for (let left = payload.readInt32BE(4); left > 0; left -= 1) {
    at += 2 + payload.readInt16BE(at);
    codes.push(payload.readInt16BE(at));
    at += 2;
  }
  return codes;
}

function string(text: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeInt16BE(text.length);
  return Buffer.concat([length, Buffer.from(text)]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
