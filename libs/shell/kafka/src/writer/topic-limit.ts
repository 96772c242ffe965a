// Largest batch that a topic takes, and so the largest record, as far as this principal may ask.
import { type Clock, type DurationMs, Fatal, isConsequence } from '@flatline/base';
import { decodeDescribeConfigs, describeConfigsRequest } from '../admin/describe-configs.ts';
import type { KafkaConnection } from '../connection/index.ts';

/** Each bounds a batch. */
const SETTINGS = ['max.message.bytes', 'segment.bytes'] as const;
/** How long batches stay smaller than configured after the topic takes more. */
const LOOK_AGAIN_MS: DurationMs = 60_000;

export interface TopicLimitOptions {
  readonly clock: Clock;
  readonly connection: KafkaConnection;
  readonly topic: string;
  /** As configured. */
  readonly batchBytesMax: number;
}

/** One record that its topic does not take, however often it is sent. */
export class RecordTooLarge extends Fatal {
  override readonly name = 'RecordTooLarge';
}

export class TopicLimit {
  readonly #options: TopicLimitOptions;
  #setting: (typeof SETTINGS)[number] = SETTINGS[0];
  #bytes = Infinity;
  /** Below every refused batch that the setting, as far as it is known, would have let pass. */
  #guess = Infinity;
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(options: TopicLimitOptions) {
    this.#options = options;
  }

  /** Infinity while it is not known. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of a batch with several records. */
  get batchBytesMax(): number {
    return Math.min(this.#options.batchBytesMax, this.#bytes, this.#guess);
  }

  /** A batch was full. Where it was smaller than configured, the topic may take more by now. */
  lookAgain(): void {
    const { clock, batchBytesMax } = this.#options;
    if (this.batchBytesMax === batchBytesMax || clock.monotonicMs() - this.#askedAt < LOOK_AGAIN_MS) return;
    this.#guess = Infinity;
    void this.refresh();
  }

  /** A batch of so many bytes was. */
  async refused(bytes: number): Promise<void> {
    await this.refresh();
    if (bytes <= this.#bytes) this.#guess = Math.min(this.#guess, bytes >> 1);
  }

  /** Looks again, since the settings of a topic may be altered. Without rights, or an answer, it stays as it was. */
  refresh(): Promise<void> {
    this.#askedAt = this.#options.clock.monotonicMs();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** `bytes`: of a batch with that record alone. `whose`: names the record. */
  refusal(bytes: number, whose = 'a record'): RecordTooLarge {
    const known = bytes > this.#bytes ? ` is ${this.#bytes}` : '';
    return new RecordTooLarge(
      `${whose} has ${bytes} bytes, more than topic ${this.#options.topic} takes (${this.#setting}${known}): make it smaller, ` +
        `or raise ${this.#setting} of the topic to ${bytes} or more`,
    );
  }

  async #ask(): Promise<void> {
    const { connection, topic } = this.#options;
    const doing = `read the settings of ${topic}`;
    const request = describeConfigsRequest([topic], SETTINGS);
    try {
      const settings = (await connection.sendAny(request, decodeDescribeConfigs, { doing })).get(topic);
      const limits = SETTINGS.map((setting) => ({ setting, bytes: Number(settings?.get(setting) ?? NaN) }));
      const [least] = limits.filter(({ bytes }) => bytes > 0).sort((a, b) => a.bytes - b.bytes);
      if (least !== undefined) [this.#setting, this.#bytes] = [least.setting, least.bytes];
    } catch (error) {
      // Then the brokers' refusal of what is too large has to do.
      if (!isConsequence(error)) throw error;
    }
  }
}
