import { type DurationMs, type Millis, PartitionStopped, Retriable } from '@flatline/base';
import type {
  BatchFingerprint,
  CommittedOffset,
  LogAdmin,
  OpenTransaction,
  PresentTopic,
  TopicPartition,
} from '@flatline/ports';
import type { RequestKind } from './fault-plan.ts';
import type { LogRecord } from './log-batch.ts';
import { LEADER_AGE_MAX_MS, type SimulatedPartition } from './simulated-partition.ts';
import type { WriterEnvironment } from './simulated-transactions.ts';

export class SimulatedAdmin implements LogAdmin {
  readonly #environment: WriterEnvironment;
  readonly #leaders = new Map<string, { readonly leaderEpoch: number; readonly sinceMs: DurationMs }>();

  constructor(environment: WriterEnvironment) {
    this.#environment = environment;
  }

  committedOffset(group: string, partition: TopicPartition): Promise<CommittedOffset | undefined> {
    const { host, network, log } = this.#environment;
    return network.request<CommittedOffset | undefined>(host, {
      kind: 'OffsetFetch',
      about: `${group} ${partition.topic}-${partition.partition}`,
      serve: (answer) => {
        answer.ok(log.offsets.committed(group, partition));
      },
    });
  }

  ends(partition: TopicPartition): Promise<{ readonly logStartOffset: number; readonly lastStableOffset: number }> {
    return this.#ask('ListOffsets', partition, (leader) => {
      const { logStartOffset, lastStableOffset } = leader.endsSeenFrom(this.#believed(partition, leader)).ends;
      return { logStartOffset, lastStableOffset };
    });
  }

  /** Without a request of its own: other worlds would be others by it. */
  presentTopic(topic: string): Promise<PresentTopic> {
    const { log } = this.#environment;
    return Promise.resolve({ partitions: log.partitionsOf(topic), topicId: log.idOf(topic) });
  }

  leaderName(partition: TopicPartition): Promise<string> {
    return this.#ask('Metadata', partition, ({ leaderEpoch }) => `leader ${leaderEpoch} of ${nameOf(partition)}`);
  }

  /** From now on another node than the deposed one is asked for the leader. */
  doubtLeader(partition: TopicPartition): void {
    const { host, log } = this.#environment;
    const { leaderEpoch } = log.partition(partition.topic, partition.partition);
    this.#leaders.set(nameOf(partition), { leaderEpoch, sinceMs: host.monotonicMs() });
  }

  /** The node asked first is the deposed leader, if there is one; it is believed for as long as by the real admin. */
  #believed(partition: TopicPartition, { leaderEpoch }: SimulatedPartition): number {
    const now = this.#environment.host.monotonicMs();
    const name = nameOf(partition);
    const known = this.#leaders.get(name) ?? { leaderEpoch: 0, sinceMs: now };
    const believed = now - known.sinceMs > LEADER_AGE_MAX_MS ? { leaderEpoch, sinceMs: now } : known;
    this.#leaders.set(name, believed);
    return believed.leaderEpoch;
  }

  offsetAt(partition: TopicPartition, timestamp: Millis): Promise<number | undefined> {
    return this.#ask('ListOffsets', partition, (leader) => {
      const { logStartOffset, lastStableOffset } = leader.ends();
      const records = leader.batches.flatMap((batch) => batch.records);
      const isAt = (each: LogRecord): boolean =>
        each.offset >= logStartOffset && each.offset < lastStableOffset && each.timestamp >= timestamp;
      return records.find(isAt)?.offset;
    });
  }

  /** As seen by a deposed leader, while there is one: clients that ask it are not told of another. */
  replicatedEnd(partition: TopicPartition): Promise<number> {
    return this.#ask('ListOffsets', partition, (leader) => {
      const end = leader.sureEndSeenFrom(0);
      if (end !== undefined) return end;
      throw new Retriable(`${nameOf(partition)}: the new leader is not sure of its end yet`);
    });
  }

  fingerprintAt(partition: TopicPartition, offset: number): Promise<BatchFingerprint | undefined> {
    return this.#ask('FetchBatch', partition, (leader) => {
      const batch = leader.batchAt(offset);
      if (batch === undefined) return undefined;
      return { checksum: batch.checksum, leaderEpoch: batch.leaderEpoch, batchTimestamp: batch.maxTimestamp };
    });
  }

  openTransactions(partition: TopicPartition): Promise<readonly OpenTransaction[]> {
    return this.#ask('DescribeProducers', partition, (leader) => leader.openTransactions());
  }

  truncate(partition: TopicPartition, offset: number): Promise<void> {
    return this.#ask('DeleteRecords', partition, (leader) => {
      if (offset > leader.ends().highWatermark) {
        throw new PartitionStopped(`${nameOf(partition)}: offset ${offset} to delete below is out of range`);
      }
      leader.truncateBelow(offset);
    });
  }

  #ask<T>(kind: RequestKind, partition: TopicPartition, act: (leader: SimulatedPartition) => T): Promise<T> {
    const { host, network, log } = this.#environment;
    const about = nameOf(partition);
    return network.request<T>(host, {
      kind,
      about,
      serve: (answer) => {
        const leader = log.find(partition);
        if (leader === undefined) {
          answer.fail(new PartitionStopped(`${about} does not exist`));
          return;
        }
        try {
          answer.ok(act(leader));
        } catch (error) {
          // Refused by the broker: returned to the caller. A broken assumption propagates and ends the world.
          if (!(error instanceof PartitionStopped || error instanceof Retriable)) throw error;
          answer.fail(error);
        }
      },
    });
  }
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
