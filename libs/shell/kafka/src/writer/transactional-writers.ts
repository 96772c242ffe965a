import {
  assert,
  type Clock,
  type DurationMs,
  REQUEST_BYTES_MAX,
  ReusedMemory,
  TRANSACTION_TIMEOUT_MS,
} from '@flatline/base';
import type { TransactionalWriter, TransactionalWriters } from '@flatline/ports';
import { codeOf, KafkaCode, type KafkaConnection } from '../connection/index.ts';
import { type Compression } from '../record-batch/compressor.ts';
import { RecordBatchEncoder } from '../record-batch/encoder.ts';
import { GroupCoordinators } from './group-coordinators.ts';
import { patiently, type Patience } from '@flatline/system';
import { decodeInitProducerId, initProducerIdRequest } from './producer-requests.ts';
import { KafkaTransactionalWriter, type WriterSurroundings } from './transactional-writer.ts';

export interface TransactionalWritersOptions {
  readonly clock: Clock;
  /**
   * Shared by all writers in turn; not closed by them. A broker answers the requests of one connection one after another,
   * each only when its followers have it: several connections let several tasks commit at the same time.
   */
  readonly connections: readonly KafkaConnection[];
  /** After which the broker aborts a transaction by itself. Default 10 000, below the broker's transaction.max.timeout.ms. */
  readonly transactionTimeoutMs?: DurationMs;
  /** Bytes of batches in one produce request, and so of one batch: below `max.message.bytes` of the topics. Default 1 000 000. */
  readonly requestBytesMax?: number;
  /** Compression of the batches for a topic; the sizes at which they are cut are uncompressed. Default: none. */
  readonly compressionOf?: (topic: string) => Compression;
  /** Memory for batches on their way; pipelines of a process may share it. Default: their own. */
  readonly memory?: ReusedMemory;
}

/** Upper bound on reusable batch buffers of all writers. */
const FREE_BATCH_BYTES_MAX = 16 * 1024 * 1024;

export function batchMemory(): ReusedMemory {
  return new ReusedMemory(FREE_BATCH_BYTES_MAX);
}

/** The former holder's transaction is aborted first, and its coordinator may just be moving. */
const OPENING: Patience = { firstMs: 10, mostMs: 20, limitMs: 30_000 };

interface WantedEpoch {
  readonly transactionalId: string;
  readonly timeoutMs: DurationMs;
}

const passing: readonly (number | undefined)[] = [
  KafkaCode.concurrentTransactions,
  KafkaCode.coordinatorLoadInProgress,
  KafkaCode.coordinatorNotAvailable,
  KafkaCode.notCoordinator,
];

export class KafkaTransactionalWriters implements TransactionalWriters {
  readonly #clock: Clock;
  readonly #surroundings: readonly WriterSurroundings[];
  readonly timeoutMs: DurationMs;

  #opened = 0;

  constructor(options: TransactionalWritersOptions) {
    const { clock, connections } = options;
    assert(connections.length > 0, 'writers need a connection');
    this.#clock = clock;
    this.timeoutMs = options.transactionTimeoutMs ?? TRANSACTION_TIMEOUT_MS;
    const encoder = new RecordBatchEncoder();
    const { memory = batchMemory() } = options;
    this.#surroundings = connections.map((connection) => ({
      clock,
      connection,
      groupCoordinators: new GroupCoordinators(clock, connection),
      encoder,
      compressionOf: options.compressionOf ?? (() => 'none'),
      memory,
      requestBytesMax: options.requestBytesMax ?? REQUEST_BYTES_MAX,
      // Later the transaction is aborted anyway.
      acknowledgeMs: this.timeoutMs,
    }));
  }

  /**
   * @param timeoutMs where the brokers allow less, half of it, and so on, but never less than the usual.
   * @throws Retriable where the id's former transaction cannot be ended in time; Fatal.
   */
  async open(transactionalId: string, timeoutMs = this.timeoutMs): Promise<TransactionalWriter> {
    const surroundings = this.#surroundings[this.#opened % this.#surroundings.length]!;
    this.#opened += 1;
    for (let askedMs = timeoutMs; ; askedMs = Math.max(this.timeoutMs, Math.floor(askedMs / 2))) {
      try {
        return await this.#openWith({ transactionalId, timeoutMs: askedMs }, surroundings);
      } catch (error) {
        const mayAskForLess = askedMs > this.timeoutMs && codeOf(error) === KafkaCode.invalidTransactionTimeout;
        if (!mayAskForLess) throw error;
      }
    }
  }

  #openWith(wanted: WantedEpoch, surroundings: WriterSurroundings): Promise<TransactionalWriter> {
    return patiently(
      this.#clock,
      OPENING,
      () => this.#initialise(wanted, surroundings),
      (error) => passing.includes(codeOf(error)),
    );
  }

  async #initialise(wanted: WantedEpoch, surroundings: WriterSurroundings): Promise<TransactionalWriter> {
    const { transactionalId, timeoutMs } = wanted;
    const { connection } = surroundings;
    const coordinator = await connection.coordinator('transaction', transactionalId);
    const doing = `open the transactional id ${transactionalId} (transactionTimeoutMs ${timeoutMs})`;
    const epoch = await connection.send(
      coordinator,
      initProducerIdRequest(transactionalId, timeoutMs),
      (payload) => decodeInitProducerId(payload, doing),
      { doing },
    );
    return new KafkaTransactionalWriter({ ...epoch, ...wanted }, coordinator, surroundings);
  }
}
