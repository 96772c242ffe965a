// What a topic takes of one batch, and so of one record, as far as this principal may ask.
import { Fatal, isConsequence } from '@flatline/base';
import { decodeDescribeConfigs, describeConfigsRequest } from '../admin/describe-configs.ts';
import type { KafkaConnection } from '../connection/index.ts';

/** Each bounds a batch. */
const SETTINGS = ['max.message.bytes', 'segment.bytes'] as const;

/** One record that its topic does not take, however often it is sent. */
export class RecordTooLarge extends Fatal {
  override readonly name = 'RecordTooLarge';
}

export class TopicLimit {
  readonly #connection: KafkaConnection;
  readonly #topic: string;
  #setting: (typeof SETTINGS)[number] = SETTINGS[0];
  #bytes = Infinity;
  #asking: Promise<void> | undefined;

  constructor(connection: KafkaConnection, topic: string) {
    this.#connection = connection;
    this.#topic = topic;
  }

  /** Infinity while it is not known. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Looks again, since the settings of a topic may be altered. Without rights, or an answer, it stays as it was. */
  refresh(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** `bytes`: of a batch with that record alone. `whose`: names the record. */
  refusal(bytes: number, whose = 'a record'): RecordTooLarge {
    const known = bytes > this.#bytes ? ` is ${this.#bytes}` : '';
    return new RecordTooLarge(
      `${whose} has ${bytes} bytes, more than topic ${this.#topic} takes (${this.#setting}${known}): make it smaller, ` +
        `or raise ${this.#setting} of the topic to ${bytes} or more`,
    );
  }

  async #ask(): Promise<void> {
    const doing = `read the settings of ${this.#topic}`;
    const request = describeConfigsRequest([this.#topic], SETTINGS);
    try {
      const settings = (await this.#connection.sendAny(request, decodeDescribeConfigs, { doing })).get(this.#topic);
      const limits = SETTINGS.map((setting) => ({ setting, bytes: Number(settings?.get(setting) ?? NaN) }));
      const [least] = limits.filter(({ bytes }) => bytes > 0).sort((a, b) => a.bytes - b.bytes);
      if (least !== undefined) [this.#setting, this.#bytes] = [least.setting, least.bytes];
    } catch (error) {
      // Then the brokers' refusal of what is too large has to do.
      if (!isConsequence(error)) throw error;
    }
  }
}
