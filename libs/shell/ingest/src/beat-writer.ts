// Heartbeats into one topic, acknowledged one by one.
//
// Owns: the producer, which is opened again after one has failed.
// Does not own: the connection.
import { type Clock, Retriable } from '@flatline/base';
import { AcknowledgedWriter, type KafkaConnection } from '@flatline/kafka';

export interface BeatWriterOptions {
  readonly clock: Clock;
  readonly connection: KafkaConnection;
  readonly topic: string;
  /** Heartbeats that may wait for their acknowledgement: most are a few bytes, and who waits for one takes kilobytes. */
  readonly waitingMax: number;
}

/** Bytes of records that may wait for their acknowledgement. */
const WAITING_BYTES_MAX = 8_000_000;
/** A sender that waits longer has gone. */
const DELIVERY_MS = 10_000;

export class BeatWriter {
  readonly #options: BeatWriterOptions;
  #producer: Promise<AcknowledgedWriter> | undefined;
  #waiting = 0;
  #waitingBytes = 0;

  constructor(options: BeatWriterOptions) {
    this.#options = options;
  }

  /**
   * Resolves once it is in the log. `value`: empty for a heartbeat, null for an end.
   * @throws Retriable where too much is waiting, or the brokers do not acknowledge it; RecordTooLarge where the topic does
   * not take so large a record
   */
  async write(key: Uint8Array, value: Uint8Array | null): Promise<void> {
    const bytes = key.length + (value?.length ?? 0);
    const { topic, waitingMax } = this.#options;
    if (this.#waiting >= waitingMax || this.#waitingBytes + bytes > WAITING_BYTES_MAX)
      throw new Retriable(
        `${topic}: ${this.#waiting} heartbeats of ${this.#waitingBytes} bytes wait for the brokers already`,
      );
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    const opened = (this.#producer ??= this.#open());
    let producer: AcknowledgedWriter | undefined;
    try {
      producer = await opened;
      await producer.write({ key, value });
    } catch (error) {
      // Where it takes nothing more, the next heartbeat gets another one.
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
