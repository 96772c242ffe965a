import { type Clock, type DurationMs, type Millis, Retriable } from '@flatline/base';
import {
  CLOCK_HEADER,
  type OutgoingRecord,
  PROBE_HEADER,
  type ProofWriter,
  type TopicPartition,
} from '@flatline/ports';
import { type KafkaConnection } from '../connection/index.ts';
import { RecordBatchEncoder, UNSEQUENCED } from '../record-batch/encoder.ts';
import { LeaderLanes } from './leader-lanes.ts';
import { patiently, type Patience } from '@flatline/system';

/** A task has one proof under way; a process has fewer tasks than this. */
const PENDING_MAX = 100_000;
const REQUEST_BYTES_MAX = 500_000;
/** Short: where a leader is frozen, its successor is to be asked soon. */
const ACKNOWLEDGE_MS: DurationMs = 3_000;
/** A proof that comes late is worth little: its task asks again. */
const RETRYING: Patience = { firstMs: 20, mostMs: 200, limitMs: 2_000 };

const EMPTY = new Uint8Array(0);

export interface KafkaProofWriterOptions {
  readonly clock: Clock;
  /** Not closed by the writer. */
  readonly connection: KafkaConnection;
}

/**
 * Appends clock records, those of several partitions of one leader in one request. Without a producer id: a record
 * written twice proves the same thing twice.
 */
export class KafkaProofWriter implements ProofWriter {
  readonly #clock: Clock;
  readonly #lanes: LeaderLanes;
  readonly #encoder = new RecordBatchEncoder();
  #pending = 0;

  constructor({ clock, connection }: KafkaProofWriterOptions) {
    this.#clock = clock;
    this.#lanes = new LeaderLanes({ connection, requestBytesMax: REQUEST_BYTES_MAX, acknowledgeMs: ACKNOWLEDGE_MS });
  }

  /** @returns the record's offset. @throws Retriable, also where it is not known whether the record was written; PartitionStopped, Fatal. */
  async append({ topic, partition }: TopicPartition, timestamp: Millis | undefined, probe?: string): Promise<number> {
    if (this.#pending >= PENDING_MAX) throw new Retriable(`${PENDING_MAX} clock records are under way already`);
    this.#pending += 1;
    try {
      const { baseOffset } = await patiently(
        this.#clock,
        RETRYING,
        () => this.#lanes.submit({ topic, partition, bytes: this.#encode(timestamp, probe), recordCount: 1 }),
        (error) => error instanceof Retriable,
      );
      return baseOffset;
    } finally {
      this.#pending -= 1;
    }
  }

  #encode(timestamp: Millis | undefined, probe: string | undefined): Uint8Array {
    this.#encoder.add(clockRecord(timestamp, probe), this.#clock.wallMs());
    return Buffer.from(this.#encoder.seal(UNSEQUENCED));
  }
}

function clockRecord(timestamp: Millis | undefined, probe: string | undefined): OutgoingRecord {
  const clock = { name: CLOCK_HEADER, value: null };
  const headers = probe === undefined ? [clock] : [clock, { name: PROBE_HEADER, value: Buffer.from(probe) }];
  const record = { key: null, value: EMPTY, headers };
  return timestamp === undefined ? record : { ...record, timestamp };
}
