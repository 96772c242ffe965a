// How far a group is in a topic, asked often: all partitions in one request to the coordinator, and one to each leader.
//
// Owns: the coordinator that answered last.
// Does not own: when to ask.
import type { KafkaConnection } from '../connection/kafka-connection.ts';
import { listOffsets } from '../connection/list-offsets.ts';
import { decodeOffsetsOf, offsetFetchRequest } from './offset-fetch.ts';
import { type AdminOptions, administer } from './patience.ts';

export interface GroupTopic {
  readonly group: string;
  readonly topic: string;
  /** How many it has. */
  readonly partitions: number;
}

export class GroupProgress {
  readonly #options: AdminOptions;
  readonly #connection: KafkaConnection;
  readonly #of: GroupTopic;
  readonly #partitions: readonly number[];
  /** Forgotten with the first failure. */
  #coordinator: number | undefined;

  constructor(options: AdminOptions, of: GroupTopic) {
    this.#options = options;
    this.#connection = options.connection;
    this.#of = of;
    this.#partitions = Array.from({ length: of.partitions }, (_, partition) => partition);
  }

  /** Committed offsets by partition; 0 where there is none. */
  committed(): Promise<readonly number[]> {
    const { group, topic } = this.#of;
    const doing = `read the committed offsets of group ${group} for ${topic}`;
    return administer(this.#options, async () => {
      const coordinator = this.#coordinator ?? (await this.#connection.coordinator('group', group));
      this.#coordinator = undefined;
      const request = offsetFetchRequest(group, topic, this.#partitions);
      const decode = (payload: Buffer): ReadonlyMap<number, number> => decodeOffsetsOf(payload, doing);
      const offsets = await this.#connection.send(coordinator, request, decode, { doing });
      this.#coordinator = coordinator;
      return this.#partitions.map((partition) => offsets.get(partition) ?? 0);
    });
  }

  /** High watermarks by partition. */
  ends(): Promise<readonly number[]> {
    const { topic } = this.#of;
    return administer(this.#options, async () => {
      try {
        const led = new Map<number, { readonly partition: number; readonly leaderEpoch: number }[]>();
        for (const partition of this.#partitions) {
          const { nodeId, leaderEpoch } = await this.#connection.leader({ topic, partition });
          const here = led.get(nodeId) ?? [];
          led.set(nodeId, here);
          here.push({ partition, leaderEpoch });
        }
        const asked = [...led].map(([nodeId, partitions]) =>
          listOffsets(this.#connection, nodeId, { topic, partitions }, 'end'),
        );
        const ends = new Map((await Promise.all(asked)).flatMap((of) => [...of]));
        return this.#partitions.map((partition) => ends.get(partition)!);
      } catch (error) {
        this.#connection.forgetLeaders(topic);
        throw error;
      }
    });
  }
}
