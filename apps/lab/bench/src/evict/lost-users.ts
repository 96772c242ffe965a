// Users on gateways, of which one is lost, and others whose sessions close all the while.
import type { DurationMs, Millis } from '@flatline/base';
import { BatchProducer, type KafkaConnection, type KafkaOptions, type ProducedRecord } from '@flatline/kafka';
import type { RecordCursor } from '@flatline/ports';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { OutputReader, valueText } from '../output-reader.ts';
import { numberInKey, stormKey } from '../storm/close-count.ts';
import { Tally } from '../tally.ts';
import { writeRecords } from '../writing.ts';

export const GATEWAYS = 20;
/** All users of the first are lost. */
export const LOST = 'g0';
/** Sessions of one event, which close so long after it. */
const OTHERS_TIMEOUT_MS: DurationMs = 2_000;
const OTHERS_EVERY_MS: DurationMs = 4;

/** An event of each user, as fast as the broker takes them. */
export async function loadUsers(connection: KafkaConnection, topic: string, users: number): Promise<void> {
  const values = Array.from({ length: GATEWAYS }, (_, gateway) =>
    Buffer.from(JSON.stringify({ type: 'STARTED', attributes: { gateway: `g${gateway}`, channel: 'web' } })),
  );
  function* records(partitions: number): Iterable<ProducedRecord> {
    for (let user = 0; user < users; user += 1)
      yield { partition: user % partitions, key: stormKey(user), value: values[gatewayOf(user, partitions)]! };
  }
  await writeRecords(connection, { topic, records });
}

/** In every partition as many of each. */
function gatewayOf(user: number, partitions: number): number {
  return Math.floor(user / partitions) % GATEWAYS;
}

export function lostOf(users: number, partitions: number): number {
  let lost = 0;
  for (let user = 0; user < users; user += 1) if (gatewayOf(user, partitions) === 0) lost += 1;
  return lost;
}

/** Opens a session of another every few milliseconds, until it is aborted. */
export async function keepClosing(connection: KafkaConnection, topic: string, signal: AbortSignal): Promise<void> {
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic, lingerMs: 1 });
  const value = Buffer.from(JSON.stringify({ type: 'STARTED', timeoutMs: OTHERS_TIMEOUT_MS }));
  const from = performance.now();
  for (let other = 0; !signal.aborted;) {
    for (const until = (performance.now() - from) / OTHERS_EVERY_MS; other < until; other += 1)
      void producer.add({ key: Buffer.from(`other-${other}`), value });
    await delay(OTHERS_EVERY_MS);
  }
  await producer.close();
}

/** A close of another, as a read_committed reader sees it. */
export interface SeenClose {
  readonly seenAt: Millis;
  /** Behind its deadline. */
  readonly lateMs: DurationMs;
}

export class EvictionWatch {
  readonly others: SeenClose[] = [];
  readonly #reader: OutputReader;
  readonly #tally: Tally;
  lastSeenAt: Millis = 0;

  constructor(kafka: KafkaOptions, topic: string, partitions: number, users: number) {
    this.#tally = new Tally(users);
    this.#reader = new OutputReader(kafka, { topic, partitions }, (record) => {
      if (record.valueLength > 0) this.#see(record);
    });
  }

  get evicted(): number {
    return this.#tally.count;
  }

  get twice(): number {
    return this.#tally.twice;
  }

  /** @throws the error that ended the reading */
  async close(): Promise<void> {
    await this.#reader.close();
    if (this.#reader.failure !== undefined) throw this.#reader.failure;
  }

  #see(record: RecordCursor): void {
    const user = numberInKey(record.bytes, record.keyStart, record.keyLength);
    const seenAt = systemClock.wallMs();
    if (user === undefined) {
      const { deadlineAt } = JSON.parse(valueText(record)) as { readonly deadlineAt: Millis };
      this.others.push({ seenAt, lateMs: seenAt - deadlineAt });
      return;
    }
    this.#tally.see(user);
    this.lastSeenAt = seenAt;
  }
}
