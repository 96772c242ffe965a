import type { Millis } from '@flatline/base';
import type {
  BatchFingerprint,
  CommittedOffset,
  LogAdmin,
  OpenTransaction,
  PresentTopic,
  TopicPartition,
} from '@flatline/ports';
import { errorOfCode } from '../connection/foreign-errors.ts';
import { KafkaCode } from '../connection/kafka-error-codes.ts';
import type { KafkaConnection, Leader } from '../connection/kafka-connection.ts';
import { listOffset, NO_OFFSET } from '../connection/list-offsets.ts';
import { givenId } from '../connection/topic-id.ts';
import { decodeFetch, fetchRequest } from '../reader/fetch-exchange.ts';
import { fingerprintIn } from '../record-batch/batch-fingerprint.ts';
import { decodeDeleteRecords, deleteRecordsRequest } from './delete-records.ts';
import { openTransactionsAt } from './describe-producers.ts';
import { decodeDescribeLogDirs, describeLogDirsRequest } from './describe-log-dirs.ts';
import { decodeOffsetFetch, offsetFetchRequest } from './offset-fetch.ts';
import { type AdminOptions, administer } from './patience.ts';

/** The broker waits for its replicas to follow. */
const DELETE_RECORDS_TIMEOUT_MS = 10_000;
/** A deposed leader may not know it and still answer: metadata are asked for at least this often. */
const LEADER_AGE_MAX_MS = 10_000;
/** More than a batch's header; the broker sends the first batch whole in any case. */
const FINGERPRINT_FETCH_BYTES = 4_096;

/** Every request goes to the partition's leader or the group's coordinator, and is retried while that may succeed. */
export class KafkaLogAdmin implements LogAdmin {
  readonly #options: AdminOptions;
  readonly #connection: KafkaConnection;

  constructor(options: AdminOptions) {
    this.#options = options;
    this.#connection = options.connection;
  }

  committedOffset(group: string, partition: TopicPartition): Promise<CommittedOffset | undefined> {
    const doing = `read the committed offset of group ${group} for ${nameOf(partition)}`;
    return administer(this.#options, async () => {
      const coordinator = await this.#connection.coordinator('group', group);
      const request = offsetFetchRequest(group, partition.topic, [partition.partition]);
      return this.#connection.send(coordinator, request, (payload) => decodeOffsetFetch(payload, doing), { doing });
    });
  }

  ends(partition: TopicPartition): Promise<{ readonly logStartOffset: number; readonly lastStableOffset: number }> {
    return this.#atLeader(partition, async (leader) => {
      const logStartOffset = await listOffset(this.#connection, partition, leader, 'start');
      const lastStableOffset = await listOffset(this.#connection, partition, leader, 'stableEnd');
      return { logStartOffset, lastStableOffset };
    });
  }

  presentTopic(topic: string): Promise<PresentTopic> {
    return administer(this.#options, async () => {
      const { topics } = await this.#connection.refresh([topic]);
      const found = topics.find((each) => each.topic === topic && each.errorCode === KafkaCode.none);
      return { partitions: found?.partitions.length ?? 0, topicId: givenId(found?.topicId) };
    });
  }

  leaderName(partition: TopicPartition): Promise<string> {
    // However long ago it was named: whoever cannot reach it has it forgotten.
    return administer(this.#options, async () => {
      const { nodeId } = await this.#connection.leader(partition);
      return this.#connection.nameOf(nodeId);
    });
  }

  doubtLeader({ topic }: TopicPartition): void {
    this.#connection.forgetLeaders(topic);
  }

  offsetAt(partition: TopicPartition, timestamp: Millis): Promise<number | undefined> {
    return this.#atLeader(partition, async (leader) => {
      const offset = await listOffset(this.#connection, partition, leader, { timestamp });
      return offset === NO_OFFSET ? undefined : offset;
    });
  }

  replicatedEnd(partition: TopicPartition): Promise<number> {
    return this.#atLeader(partition, (leader) => listOffset(this.#connection, partition, leader, 'end'));
  }

  /** Size of the leader's log; 0 without the permission to know it (DESCRIBE on the cluster). */
  logBytes(partition: TopicPartition): Promise<number> {
    const doing = `read the size of ${nameOf(partition)}`;
    const request = describeLogDirsRequest(partition);
    return this.#atLeader(partition, ({ nodeId }) =>
      this.#connection.send(nodeId, request, (payload) => decodeDescribeLogDirs(payload, doing), { doing }),
    );
  }

  openTransactions(partition: TopicPartition): Promise<readonly OpenTransaction[]> {
    return this.#atLeader(partition, ({ nodeId }) => openTransactionsAt(this.#connection, partition, nodeId));
  }

  fingerprintAt(partition: TopicPartition, offset: number): Promise<BatchFingerprint | undefined> {
    const doing = `read the batch of ${nameOf(partition)} at offset ${offset}`;
    const bounds = { waitMs: 0, fetchBytes: FINGERPRINT_FETCH_BYTES, partitionFetchBytes: FINGERPRINT_FETCH_BYTES };
    return this.#atLeader(partition, async ({ nodeId, leaderEpoch }) => {
      const request = fetchRequest([{ partition, leaderEpoch, offset }], bounds);
      const { payload, partitions } = await this.#connection.send(nodeId, request, decodeFetch, { doing });
      const answer = partitions[0];
      if (answer === undefined || answer.errorCode === KafkaCode.offsetOutOfRange) return undefined;
      if (answer.errorCode !== KafkaCode.none) throw errorOfCode(answer.errorCode, doing);
      return fingerprintIn(payload, answer.start, answer.end, offset);
    });
  }

  truncate(partition: TopicPartition, offset: number): Promise<void> {
    const doing = `delete the records of ${nameOf(partition)} below offset ${offset}`;
    const request = deleteRecordsRequest(partition, offset, DELETE_RECORDS_TIMEOUT_MS);
    return this.#atLeader(partition, ({ nodeId }) =>
      this.#connection.send(
        nodeId,
        request,
        (payload) => {
          decodeDeleteRecords(payload, doing);
        },
        { doing },
      ),
    );
  }

  #atLeader<T>(partition: TopicPartition, ask: (leader: Leader) => Promise<T>): Promise<T> {
    return administer(this.#options, async () => {
      try {
        return await ask(await this.#connection.leader(partition, LEADER_AGE_MAX_MS));
      } catch (error) {
        // Whatever the error, the next attempt asks for the present leader.
        this.#connection.forgetLeaders(partition.topic);
        throw error;
      }
    });
  }
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
