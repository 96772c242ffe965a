import { KafkaTopicAdmin, type KafkaConnection } from '@flatline/kafka';
import { systemClock } from '@flatline/system';

/** The one pipeline of every processor that is measured. */
export const PIPELINE = 'bench';
const INPUT = { 'message.timestamp.type': 'LogAppendTime' };
const CHANGELOG = { 'message.timestamp.type': 'LogAppendTime', 'retention.ms': '-1', 'retention.bytes': '-1' };

export class BenchTopics {
  readonly #admin: KafkaTopicAdmin;
  readonly #partitions: number;

  constructor(connection: KafkaConnection, partitions: number) {
    this.#admin = new KafkaTopicAdmin({ clock: systemClock, connection });
    this.#partitions = partitions;
  }

  async createInput(topic: string): Promise<void> {
    await this.#create([[topic, INPUT]]);
  }

  /** What a processor of that name writes to. */
  async createFor(application: string): Promise<void> {
    await this.#create([
      [`${application}.output`, {}],
      [`${application}.${PIPELINE}.changelog`, CHANGELOG],
      [`${application}.${PIPELINE}.dead-letters`, {}],
    ]);
  }

  async #create(
    topics: readonly (readonly [topic: string, settings: Readonly<Record<string, string>>])[],
  ): Promise<void> {
    const partitions = this.#partitions;
    await this.#admin.createTopics(
      topics.map(([topic, settings]) => ({ topic, partitions, replicationFactor: -1, settings })),
    );
  }
}
