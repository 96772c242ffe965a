// Sessions whose closes are watched: many that are alive throughout, and a series of probes that beat once and fall silent.
import type { DurationMs } from '@flatline/base';
import { BatchProducer, type KafkaConnection, type ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { sessionKey } from './session-key.ts';
import { NO_VALUE, writeRecords } from './writing.ts';

/** One probe, and so one close, per partition in this time. */
export const PROBE_EVERY_MS: DurationMs = 25;
/** Lifetime of a probe without another sign of life. */
export const PROBE_TIMEOUT_MS: DurationMs = 1_000;
const LONG_LIVED = Buffer.from('{"timeoutMs":36000000}');

/** Opens sessions that outlive the measurement, spread over the partitions in turn. */
export async function loadSessions(
  connection: KafkaConnection,
  topic: string,
  { sessions, seed }: { readonly sessions: number; readonly seed: number },
): Promise<void> {
  function* records(partitions: number): Iterable<ProducedRecord> {
    for (let session = 0; session < sessions; session += 1)
      yield { partition: session % partitions, key: sessionKey(session, seed), value: LONG_LIVED };
  }
  await writeRecords(connection, { topic, records });
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
    // Reported when it is stopped.
    this.#running.catch(() => undefined);
  }

  /** Stops, and returns the number of probes. */
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
