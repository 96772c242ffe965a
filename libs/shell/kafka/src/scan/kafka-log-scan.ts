import { type DurationMs, MalformedBytes, PartitionStopped, Retriable } from '@flatline/base';
import type { OpenTransaction, RecordCursor, TopicPartition } from '@flatline/ports';
import { openTransactionsAt } from '../admin/describe-producers.ts';
import { type AdminOptions, administer } from '../admin/patience.ts';
import { errorOfCode } from '../connection/foreign-errors.ts';
import type { KafkaConnection, Leader } from '../connection/kafka-connection.ts';
import { KafkaCode } from '../connection/kafka-error-codes.ts';
import { listOffset } from '../connection/list-offsets.ts';
import { decodeFetch, fetchRequest, type PartitionAnswer } from '../reader/fetch-exchange.ts';
import type { AbortedTransaction } from '../record-batch/aborted-transactions.ts';
import { BatchCursor } from '../record-batch/batch-cursor.ts';
import { scanBatches } from '../record-batch/batch-scan.ts';
import { decodeDescribeGroup, describeGroupRequest } from './describe-group.ts';

const STRETCH_BYTES = 4 * 1024 * 1024;
/** How long the leader may wait for records. */
const WAIT_MS: DurationMs = 500;

export interface LogBounds {
  readonly logStartOffset: number;
  /** Below it everything is decided. */
  readonly lastStableOffset: number;
  readonly highWatermark: number;
}

/** Consecutive batches from one answer of the leader: the committed records in them. */
export interface LogStretch {
  readonly cursor: RecordCursor;
  readonly nextOffset: number;
}

/** The same as its bytes, for a checker that must not trust this library's own reading. The last batch may be cut off. */
export interface LogBytes {
  readonly bytes: Uint8Array;
  readonly aborted: readonly AbortedTransaction[];
}

/** Reads logs from end to end once, to check them, including what a reader is never shown. */
export class KafkaLogScan {
  readonly #options: AdminOptions;
  readonly #connection: KafkaConnection;

  constructor(options: AdminOptions) {
    this.#options = options;
    this.#connection = options.connection;
  }

  bounds(partition: TopicPartition): Promise<LogBounds> {
    return this.#atLeader(partition, async (leader) => ({
      logStartOffset: await listOffset(this.#connection, partition, leader, 'start'),
      lastStableOffset: await listOffset(this.#connection, partition, leader, 'stableEnd'),
      highWatermark: await listOffset(this.#connection, partition, leader, 'end'),
    }));
  }

  /** Transactions under way, and those that hang. */
  openTransactions(partition: TopicPartition): Promise<readonly OpenTransaction[]> {
    return this.#atLeader(partition, ({ nodeId }) => openTransactionsAt(this.#connection, partition, nodeId));
  }

  /** True if the group has members. */
  hasMembers(group: string): Promise<boolean> {
    const doing = `describe group ${group}`;
    return administer(this.#options, async () => {
      const coordinator = await this.#connection.coordinator('group', group);
      const decode = (payload: Buffer): string => decodeDescribeGroup(payload, doing);
      const state = await this.#connection.send(coordinator, describeGroupRequest(group), decode, { doing });
      return state !== 'Empty' && state !== 'Dead';
    });
  }

  /**
   * Some batches from the one that holds `offset` on, at least one; `offset` is below the last stable offset.
   * @throws PartitionStopped where the log does not hold it any more, or is damaged there.
   */
  read(partition: TopicPartition, offset: number): Promise<LogStretch> {
    return this.#fetch(partition, offset, (payload, answer) => stretchOf(partition, offset, payload, answer));
  }

  /** As `read`, and nothing of it decoded. @throws PartitionStopped where the log does not hold it any more. */
  readBytes(partition: TopicPartition, offset: number): Promise<LogBytes> {
    return this.#fetch(partition, offset, (payload, { start, end, aborted }) => {
      if (end === start) throw nothingYet(partition, offset);
      return { bytes: payload.subarray(start, end), aborted };
    });
  }

  #fetch<T>(
    partition: TopicPartition,
    offset: number,
    take: (payload: Buffer, answer: PartitionAnswer) => T,
  ): Promise<T> {
    const doing = `read ${nameOf(partition)} at offset ${offset}`;
    const bounds = { waitMs: WAIT_MS, fetchBytes: STRETCH_BYTES, partitionFetchBytes: STRETCH_BYTES };
    return this.#atLeader(partition, async ({ nodeId, leaderEpoch }) => {
      const request = fetchRequest([{ partition, leaderEpoch, offset }], bounds);
      const { payload, partitions } = await this.#connection.send(nodeId, request, decodeFetch, { doing });
      const answer = partitions[0];
      if (answer === undefined) throw new Retriable(`cannot ${doing}: the partition is not in the answer`);
      if (answer.errorCode === KafkaCode.offsetOutOfRange)
        throw new PartitionStopped(`cannot ${doing}: its records have been deleted meanwhile; begin again`);
      if (answer.errorCode !== KafkaCode.none) throw errorOfCode(answer.errorCode, doing);
      return take(payload, answer);
    });
  }

  #atLeader<T>(partition: TopicPartition, ask: (leader: Leader) => Promise<T>): Promise<T> {
    return administer(this.#options, async () => {
      try {
        return await ask(await this.#connection.leader(partition));
      } catch (error) {
        // Whatever the error, the next attempt asks for the present leader.
        this.#connection.forgetLeaders(partition.topic);
        throw error;
      }
    });
  }
}

function stretchOf(
  source: TopicPartition,
  askedOffset: number,
  payload: Buffer,
  { start, end: limit, aborted }: PartitionAnswer,
): LogStretch {
  try {
    const { end, nextOffset } = scanBatches(payload, start, limit, askedOffset);
    if (end === start) throw nothingYet(source, askedOffset);
    const fetched = { source, bytes: payload, start, end, askedOffset, nextOffset, aborted };
    return { cursor: new BatchCursor(fetched), nextOffset };
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw new PartitionStopped(
      `${nameOf(source)} cannot be read from offset ${askedOffset} on: ${error.message}`,
      error,
    );
  }
}

function nothingYet(partition: TopicPartition, offset: number): Retriable {
  return new Retriable(`cannot read ${nameOf(partition)} at offset ${offset}: nothing is there yet`);
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
