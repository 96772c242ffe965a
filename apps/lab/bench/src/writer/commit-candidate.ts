// Writers that commit transactions, and ours among them.
import { type KafkaOptions, KafkaTransactionalWriters, openCluster } from '@flatline/kafka';
import type { OutgoingRecord } from '@flatline/ports';

/** Writes of one commit, in one transaction: a changelog block, outputs, the input offset. */
export interface CommitWorkload {
  readonly name: string;
  readonly blockBytes: number;
  readonly outputRecords: number;
  readonly outputBytes: number;
}

export interface CommitTarget {
  readonly changelogTopic: string;
  readonly outputTopic: string;
  readonly inputTopic: string;
  readonly group: string;
  readonly partition: number;
}

/** One transactional producer, committing one transaction at a time. */
export interface CandidateWriter {
  commit(workload: CommitWorkload, offset: number): Promise<void>;
  close(): Promise<void>;
}

export interface CommitCandidate {
  readonly name: string;
  open(transactionalId: string, target: CommitTarget): Promise<CandidateWriter>;
  close(): Promise<void>;
}

/** The product's writer; all writers share `connectionCount` connections per broker. */
export function flatlineCandidate(kafka: KafkaOptions, connectionCount: number): CommitCandidate {
  const connections = Array.from({ length: connectionCount }, () => openCluster(kafka));
  const writers = new KafkaTransactionalWriters({ clock: kafka.clock, connections });
  return {
    name: `flatline, ${connectionCount} ${connectionCount === 1 ? 'connection' : 'connections'}`,
    open: async (transactionalId, target) => candidateWriter(await writers.open(transactionalId), target),
    close: () => {
      for (const connection of connections) connection.close();
      return Promise.resolve();
    },
  };
}

function candidateWriter(
  writer: Awaited<ReturnType<KafkaTransactionalWriters['open']>>,
  target: CommitTarget,
): CandidateWriter {
  const { partition, group } = target;
  return {
    commit: async (workload, offset) => {
      await writer.commit({
        writes: [
          {
            topic: target.changelogTopic,
            partition,
            records: [{ key: null, value: new Uint8Array(workload.blockBytes) }],
          },
          { topic: target.outputTopic, partition, records: outputsOf(workload) },
        ],
        offsets: [{ group, topic: target.inputTopic, partition, offset, metadata: '' }],
      });
    },
    close: () => writer.close(),
  };
}

function outputsOf({ outputRecords, outputBytes }: CommitWorkload): readonly OutgoingRecord[] {
  const value = new Uint8Array(outputBytes);
  return Array.from({ length: outputRecords }, (_, index) => ({ key: Buffer.from(`session-${index}`), value }));
}
