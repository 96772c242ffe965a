// Sessions of the failover benchmark: many that live all the time, and one after the other that beats once and is silent.
import { BatchProducer, type KafkaConnection } from '@flatline/kafka';
import { systemClock } from '@flatline/runtime';
import { setTimeout as delay } from 'node:timers/promises';
import { PROBE_EVERY_MS } from './failover-scenario.ts';

const NO_VALUE = new Uint8Array(0);
const LONG_LIVED = Buffer.from('{"timeoutMs":36000000}');

/** Opens sessions that outlive the run. */
export async function loadSessions(connection: KafkaConnection, topic: string, sessions: number): Promise<void> {
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
  for (let index = 0; index < sessions; index += 1) {
    const partition = index % producer.partitionCount;
    const room = producer.add({ partition, key: Buffer.from(`session-${index}`), value: LONG_LIVED });
    if (room !== undefined) await room;
  }
  await producer.close();
}

export class Probes {
  readonly #stop = new AbortController();
  readonly #running: Promise<number>;

  constructor(connection: KafkaConnection, topic: string) {
    this.#running = this.#run(connection, topic);
    // Reported where it is stopped.
    this.#running.catch(() => undefined);
  }

  /** Number of probes per partition. */
  stop(): Promise<number> {
    this.#stop.abort();
    return this.#running;
  }

  async #run(connection: KafkaConnection, topic: string): Promise<number> {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic, lingerMs: 1 });
    let count = 0;
    for (; !this.#stop.signal.aborted; count += 1) {
      for (let partition = 0; partition < producer.partitionCount; partition += 1)
        void producer.add({ partition, key: Buffer.from(`probe-${partition}-${count}`), value: NO_VALUE });
      await delay(PROBE_EVERY_MS);
    }
    await producer.close();
    return count;
  }
}
