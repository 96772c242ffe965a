// Sessions of the failover benchmark: many that live all the time, and one after the other that beats once and is silent.
import type { DurationMs } from '@flatline/base';
import { BatchProducer, type KafkaConnection } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { PROBE_EVERY_MS } from './failover-scenario.ts';

const NO_VALUE = new Uint8Array(0);
const LONG_LIVED = Buffer.from('{"timeoutMs":36000000}');

/** Opens sessions that outlive the run, of these keys, spread over the partitions in turn. */
export async function loadSessions(
  connection: KafkaConnection,
  topic: string,
  keys: readonly Uint8Array[],
): Promise<void> {
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
  for (const [index, key] of keys.entries()) {
    const partition = index % producer.partitionCount;
    const room = producer.add({ partition, key, value: LONG_LIVED });
    if (room !== undefined) await room;
  }
  await producer.close();
}

/** When the next probes are sent, and to which partitions. */
export interface ProbePace {
  pauseMs(): DurationMs;
  partitions(count: number): readonly number[];
}

/** One per partition every `PROBE_EVERY_MS`. */
const STEADY: ProbePace = {
  pauseMs: () => PROBE_EVERY_MS,
  partitions: (count) => Array.from({ length: count }, (_, partition) => partition),
};

export class Probes {
  readonly #stop = new AbortController();
  readonly #running: Promise<number>;

  constructor(connection: KafkaConnection, topic: string, pace: ProbePace = STEADY) {
    this.#running = this.#run(connection, topic, pace);
    // Reported where it is stopped.
    this.#running.catch(() => undefined);
  }

  /** Number of probes. */
  stop(): Promise<number> {
    this.#stop.abort();
    return this.#running;
  }

  async #run(connection: KafkaConnection, topic: string, pace: ProbePace): Promise<number> {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic, lingerMs: 1 });
    let sent = 0;
    while (!this.#stop.signal.aborted) {
      for (const partition of pace.partitions(producer.partitionCount)) {
        void producer.add({ partition, key: Buffer.from(`probe-${partition}-${sent}`), value: NO_VALUE });
        sent += 1;
      }
      await delay(pace.pauseMs());
    }
    await producer.close();
    return sent;
  }
}
