// Notices a transaction that a producer has left open on the input, or the changelog: everything behind it, sound or not, waits
// for its end (F10). Lag does not show it, since nothing of that can be read yet.
//
// Owns: since when the last stable offset stands still, what is said of it.
// Does not own: the reading.
import type { DurationMs } from '@flatline/base';
import type { LogAdmin, LogEnds, OpenTransaction, TopicPartition } from '@flatline/ports';
import { OPEN_TRANSACTION_ALARM_MS } from './limits.ts';
import type { RuntimeLog } from './settings.ts';

interface StallPorts {
  readonly admin: LogAdmin;
  readonly log: RuntimeLog;
}

export class TransactionStall {
  readonly #ports: StallPorts;
  readonly #what: 'input' | 'changelog';
  readonly #partition: TopicPartition;
  #stableOffset: number | undefined;
  #sinceMs: DurationMs = 0;
  #alarmedAt: number | undefined;
  /** Whose it is; undefined until the leader has said it. */
  #producer: OpenTransaction | undefined;

  constructor(ports: StallPorts, what: 'input' | 'changelog', partition: TopicPartition) {
    this.#ports = ports;
    this.#what = what;
    this.#partition = partition;
  }

  /** Transaction that has kept the log back for OPEN_TRANSACTION_ALARM_MS, with the remedy, in words for operators (X5). */
  get obstacle(): string | undefined {
    const offset = this.#alarmedAt;
    if (offset === undefined) return undefined;
    const producer = this.#producer;
    const whose = producer === undefined ? '' : ` by producer ${producer.producerId} (epoch ${producer.producerEpoch})`;
    return `the end of a producer's transaction on the ${this.#what}, open since offset ${offset}${whose}: ${this.#remedy(offset)}`;
  }

  /** Takes in the leader's newest answer, and warns once of each transaction. */
  note({ lastStableOffset, highWatermark, askedAtMs }: LogEnds): void {
    if (lastStableOffset >= highWatermark || lastStableOffset !== this.#stableOffset) {
      this.#stableOffset = lastStableOffset;
      this.#sinceMs = askedAtMs;
      this.#alarmedAt = undefined;
      this.#producer = undefined;
      return;
    }
    if (this.#alarmedAt !== undefined || askedAtMs - this.#sinceMs < OPEN_TRANSACTION_ALARM_MS) return;
    this.#alarmedAt = lastStableOffset;
    void this.#warn(lastStableOffset, highWatermark);
  }

  /** Never rejects: what the leader does not say is left out, with the reason. */
  async #warn(offset: number, highWatermark: number): Promise<void> {
    const { admin, log } = this.#ports;
    let producer: OpenTransaction | undefined;
    let unknownBecause: unknown;
    try {
      const open = await admin.openTransactions(this.#partition);
      producer = open.find(({ firstOffset }) => firstOffset === offset);
    } catch (error) {
      unknownBecause = error;
    }
    // It has ended meanwhile.
    if (this.#alarmedAt !== offset) return;
    this.#producer = producer;
    log.warn(
      `an open transaction of a producer holds the ${this.#what} back; nothing behind it is read until it ends`,
      {
        ...this.#partition,
        offset,
        ...(producer && { producerId: producer.producerId, producerEpoch: producer.producerEpoch }),
        ...(unknownBecause !== undefined && { producerUnknownBecause: unknownBecause }),
        highWatermark,
        remedy: this.#remedy(offset),
      },
    );
  }

  /** Kafka's own tool; the offset alone is enough for it since brokers of 3.0. */
  #remedy(offset: number): string {
    const { topic, partition } = this.#partition;
    return (
      `it ends with its producer, or at that one's transaction.timeout.ms. If it outlasts that, it hangs: ` +
      `\`kafka-transactions.sh --bootstrap-server <brokers> abort --topic ${topic} --partition ${partition} ` +
      `--start-offset ${offset}\` ends it`
    );
  }
}
