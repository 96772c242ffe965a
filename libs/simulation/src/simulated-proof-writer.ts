import { PartitionStopped, Retriable, type Millis } from '@flatline/base';
import type { ProofWriter, TopicPartition } from '@flatline/task';
import type { WriterEnvironment } from './simulated-transactions.ts';

const EMPTY = new Uint8Array(0);

/** C2's clock record: null key, empty value, header `flatline-clock`; one plain produce with acks=all, never repeated. */
export class SimulatedProofWriter implements ProofWriter {
  readonly #environment: WriterEnvironment;

  constructor(environment: WriterEnvironment) {
    this.#environment = environment;
  }

  append(partition: TopicPartition, timestamp: Millis | undefined): Promise<void> {
    const { host, network, log } = this.#environment;
    const about = `${partition.topic}-${partition.partition}`;
    const record = { key: null, value: EMPTY, headers: [{ name: 'flatline-clock', value: EMPTY }] };
    const stamped = timestamp === undefined ? record : { ...record, timestamp };
    return network.request<undefined>(host, {
      kind: 'ClockRecord',
      about,
      serve: (answer) => {
        const leader = log.find(partition);
        if (leader === undefined) answer.fail(new PartitionStopped(`${about} does not exist`));
        else {
          leader.append({ records: [stamped] }, (outcome) => {
            if (outcome.kind === 'acked') answer.ok(undefined);
            else answer.fail(new Retriable(`clock record to ${about}: ${outcome.kind}`));
          });
        }
      },
    });
  }
}
