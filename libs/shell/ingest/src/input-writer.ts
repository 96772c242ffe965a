// Records into one topic, acknowledged one by one.
//
// Owns: the producer, which is opened again after one has failed.
// Does not own: the connection.
import { type Clock, Retriable } from '@flatline/base';
import { AcknowledgedWriter, type KafkaConnection } from '@flatline/kafka';
import type { RecordHeader } from '@flatline/ports';

export interface InputWriterOptions {
  readonly clock: Clock;
  readonly connection: KafkaConnection;
  readonly topic: string;
  /** Records that may wait for their acknowledgement: most are a few bytes, and who waits for one takes kilobytes. */
  readonly waitingMax: number;
}

/** Bytes of records that may wait for their acknowledgement. */
const WAITING_BYTES_MAX = 8_000_000;
/** A sender that waits longer has gone. */
const DELIVERY_MS = 10_000;

export interface SentRecord {
  readonly key: Uint8Array;
  /** Empty for a heartbeat, null for an end or a cancel. */
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

export class InputWriter {
  readonly #options: InputWriterOptions;
  #producer: Promise<AcknowledgedWriter> | undefined;
  #waiting = 0;
  #waitingBytes = 0;

  constructor(options: InputWriterOptions) {
    this.#options = options;
  }

  /**
   * Resolves once it is in the log.
   * @throws Retriable where too much is waiting, or the brokers do not acknowledge it; RecordTooLarge where the topic does
   * not take so large a record
   */
  async write(record: SentRecord): Promise<void> {
    const bytes = bytesOf(record);
    const { topic, waitingMax } = this.#options;
    if (this.#waiting >= waitingMax || this.#waitingBytes + bytes > WAITING_BYTES_MAX)
      throw new Retriable(
        `${topic}: ${this.#waiting} records of ${this.#waitingBytes} bytes wait for the brokers already`,
      );
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    const opened = (this.#producer ??= this.#open());
    let producer: AcknowledgedWriter | undefined;
    try {
      producer = await opened;
      await producer.write(record);
    } catch (error) {
      // Where it takes nothing more, the next record gets another one.
      if (producer?.hasFailed !== false && this.#producer === opened) this.#producer = undefined;
      throw error;
    } finally {
      this.#waiting -= 1;
      this.#waitingBytes -= bytes;
    }
  }

  /** Who sent what is not acknowledged has been told: `write` rejects. */
  async close(): Promise<void> {
    await this.#producer?.then((producer) => producer.close()).catch(() => undefined);
  }

  /** Records that come while a batch is under way share the next: lingering would only delay each answer. */
  #open(): Promise<AcknowledgedWriter> {
    const { clock, connection, topic } = this.#options;
    return AcknowledgedWriter.open({ clock, connection, topic, deliveryTimeoutMs: DELIVERY_MS, lingerMs: 0 });
  }
}

function bytesOf({ key, value, headers }: SentRecord): number {
  let bytes = key.length + (value?.length ?? 0);
  for (const { name, value: said } of headers) bytes += name.length + (said?.length ?? 0);
  return bytes;
}
