import { KafkaTopicAdmin, type KafkaConnection } from '@flatline/kafka';
import { systemClock } from '@flatline/system';

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
  async createFor(application: string, pipeline: string): Promise<void> {
    await this.#create([
      [`${application}.output`, {}],
      [`${application}.${pipeline}.changelog`, CHANGELOG],
      [`${application}.${pipeline}.dead-letters`, {}],
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
