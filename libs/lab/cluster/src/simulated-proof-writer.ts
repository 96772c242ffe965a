import { PartitionStopped, Retriable, type DurationMs, type Millis } from '@flatline/base';
import { CLOCK_HEADER, PROBE_HEADER, type ProofWriter, type TopicPartition } from '@flatline/ports';
import type { WriterEnvironment } from './simulated-transactions.ts';

const EMPTY = new Uint8Array(0);
const utf8 = new TextEncoder();
/** A late record proves little: its task asks again. */
const RETRY_FOR_MS: DurationMs = 2_000;
const RETRY_MS: DurationMs = 50;

/**
 * C2's clock record: null key, empty value, header `flatline-clock`, acks=all. Written without a producer id and retried while
 * the outcome is unknown, so it may be written twice.
 */
export class SimulatedProofWriter implements ProofWriter {
  readonly #environment: WriterEnvironment;

  constructor(environment: WriterEnvironment) {
    this.#environment = environment;
  }

  async append(partition: TopicPartition, timestamp: Millis | undefined, probe?: string): Promise<number> {
    const { host } = this.#environment;
    const giveUpAtMs = host.monotonicMs() + RETRY_FOR_MS;
    for (;;) {
      try {
        return await this.#appendOnce(partition, timestamp, probe);
      } catch (error) {
        if (!(error instanceof Retriable) || host.monotonicMs() >= giveUpAtMs) throw error;
      }
      await new Promise<void>((resolve) => host.after(RETRY_MS, resolve));
    }
  }

  #appendOnce(partition: TopicPartition, timestamp: Millis | undefined, probe: string | undefined): Promise<number> {
    const { host, network, log } = this.#environment;
    const about = `${partition.topic}-${partition.partition}`;
    const clock = { name: CLOCK_HEADER, value: null };
    const headers = probe === undefined ? [clock] : [clock, { name: PROBE_HEADER, value: utf8.encode(probe) }];
    const record = { key: null, value: EMPTY, headers };
    const stamped = timestamp === undefined ? record : { ...record, timestamp };
    return network.request<number>(host, {
      kind: 'ClockRecord',
      about,
      serve: (answer) => {
        const leader = log.find(partition);
        if (leader === undefined) {
          answer.fail(new PartitionStopped(`${about} does not exist`));
          return;
        }
        leader.append({ records: [stamped] }, (outcome) => {
          if (outcome.kind === 'acked') answer.ok(outcome.baseOffset);
          else answer.fail(new Retriable(`clock record to ${about}: ${outcome.kind}`));
        });
      },
    });
  }
}
