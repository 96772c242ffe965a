// Items of one key at a steady rate, beside items of keys that come once: the effect of a hot key on its neighbours.
import type { DurationMs, Millis } from '@flatline/base';
import { BatchProducer, type KafkaConnection, type KafkaOptions, type ProducedRecord } from '@flatline/kafka';
import type { RecordCursor, RecordHeader } from '@flatline/ports';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { OutputReader, valueText } from '../output-reader.ts';

export const HOT_KEY = Buffer.from('hot');
/** One neighbour in this time: a key of its own, with one item. */
const NEIGHBOUR_EVERY_MS: DurationMs = 10;
const NEIGHBOUR = 'neighbour-';

/** JSON of about that many bytes, like edits or readings. */
export function itemValue(index: number, bytes: number): Buffer {
  return Buffer.from(
    JSON.stringify({ n: index, of: '' })
      .padEnd(bytes - 1)
      .replace('""', `"${'x'.repeat(8)}"`),
  );
}

interface HotLoad {
  readonly topic: string;
  readonly itemBytes: number;
  /** Rate of the hot key; 0: neighbours alone. */
  readonly itemsPerSecond: number;
  /** On each of its items. */
  readonly headers: readonly RecordHeader[];
}

/** Sends until it is stopped; late items are sent as soon as possible. */
export class HotSender {
  readonly #stop = new AbortController();
  readonly #running: Promise<Sent>;

  constructor(connection: KafkaConnection, load: HotLoad) {
    this.#running = this.#run(connection, load);
    // Reported when it is stopped.
    this.#running.catch(() => undefined);
  }

  stop(): Promise<Sent> {
    this.#stop.abort();
    return this.#running;
  }

  async #run(connection: KafkaConnection, { topic, itemBytes, itemsPerSecond, headers }: HotLoad): Promise<Sent> {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic, lingerMs: 1 });
    const value = itemValue(0, itemBytes);
    const from = performance.now();
    let [hot, neighbours] = [0, 0];
    const due = (perSecond: number): number => Math.floor(((performance.now() - from) * perSecond) / 1_000);
    const add = (record: ProducedRecord): void => void producer.add(record);
    while (!this.#stop.signal.aborted) {
      for (const until = due(itemsPerSecond); hot < until; hot += 1)
        add({ partition: 0, key: HOT_KEY, value: itemValue(hot, itemBytes), headers });
      for (const until = due(1_000 / NEIGHBOUR_EVERY_MS); neighbours < until; neighbours += 1)
        add({ partition: 0, key: Buffer.from(`${NEIGHBOUR}${neighbours}`), value });
      await delay(2);
    }
    const elapsedMs = performance.now() - from;
    await producer.close();
    return { neighbours, itemsPerSecond: (1_000 * hot) / elapsedMs };
  }
}

export interface Sent {
  readonly neighbours: number;
  /** Rate of the hot key, as actually sent. */
  readonly itemsPerSecond: number;
}

/** A batch of a neighbour, as a read_committed reader sees it. */
interface SeenBatch {
  readonly firedAt: Millis;
  readonly lateMs: DurationMs;
}

/** Reads the output: batches of neighbours, and the times when they came. */
export class BatchWatch {
  readonly #reader: OutputReader;
  readonly batches: SeenBatch[] = [];

  constructor(kafka: KafkaOptions, topic: string) {
    this.#reader = new OutputReader(kafka, { topic, partitions: 1 }, (record) => {
      this.#see(record);
    });
  }

  /** @throws the error that ended the reading */
  async close(): Promise<void> {
    await this.#reader.close();
    if (this.#reader.failure !== undefined) throw this.#reader.failure;
  }

  /** Values of the hot key are not read: that would take time from the neighbours. */
  #see(record: RecordCursor): void {
    if (record.keyLength === HOT_KEY.length) return;
    const seenAt = systemClock.wallMs();
    const { firedAt } = JSON.parse(valueText(record)) as { readonly firedAt: Millis };
    this.batches.push({ firedAt, lateMs: seenAt - firedAt });
  }
}
