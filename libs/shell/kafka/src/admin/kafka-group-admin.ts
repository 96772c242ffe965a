import { KafkaCode } from '../connection/kafka-error-codes.ts';
import { codeOf } from '../connection/foreign-errors.ts';
import type { KafkaConnection } from '../connection/kafka-connection.ts';
import { decodeDeleteGroup, deleteGroupRequest } from './delete-groups.ts';
import { decodeListGroups, listGroupsRequest } from './list-groups.ts';
import { allOffsetsRequest, decodeCommittedTopics, decodeNotes } from './offset-fetch.ts';
import { type AdminOptions, administer } from './patience.ts';

/** Codes for a share group, and for one that this principal may list but not read: it is passed over. */
const UNREADABLE: readonly (number | undefined)[] = [KafkaCode.groupAuthorizationFailed, KafkaCode.groupIdNotFound];

/** Looks for groups, and forgets them. */
export class KafkaGroupAdmin {
  readonly #options: AdminOptions;
  readonly #connection: KafkaConnection;

  constructor(options: AdminOptions) {
    this.#options = options;
    this.#connection = options.connection;
  }

  /**
   * The groups that have committed an offset of any of these topics, by topic, by name. One request a node, and one a group.
   * Not seen: groups that this principal may not describe, and readers that keep their positions elsewhere. @throws Retriable, Fatal.
   */
  async readersOf(topics: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const committed = await administer(this.#options, async () => {
      const { nodes } = await this.#connection.refresh([]);
      return (await Promise.all(nodes.map(({ nodeId }) => this.#committedAt(nodeId)))).flat();
    });
    const groupsOf = (topic: string): string[] =>
      committed.flatMap(({ group, topics: read }) => (read.has(topic) ? [group] : [])).toSorted();
    return new Map(topics.map((topic) => [topic, groupsOf(topic)]));
  }

  /** Metadata of all offsets that the group has committed, whatever the topic. @throws Retriable, Fatal */
  notes(group: string): Promise<readonly string[]> {
    const doing = `read the committed offsets of group ${group}`;
    const decode = (payload: Buffer): readonly string[] => decodeNotes(payload, doing);
    return administer(this.#options, async () => {
      const coordinator = await this.#connection.coordinator('group', group);
      return this.#connection.send(coordinator, allOffsetsRequest(group), decode, { doing });
    });
  }

  /** With all that it has committed. @throws Fatal where it has members, Retriable */
  forget(group: string): Promise<void> {
    const doing = `end group ${group} and its offsets`;
    return administer(this.#options, async () => {
      const coordinator = await this.#connection.coordinator('group', group);
      const decode = (payload: Buffer): void => {
        decodeDeleteGroup(payload, doing);
      };
      await this.#connection.send(coordinator, deleteGroupRequest(group), decode, { doing });
    });
  }

  async #committedAt(nodeId: number): Promise<{ group: string; topics: ReadonlySet<string> }[]> {
    const doing = `list the groups of node ${nodeId}`;
    const decode = (payload: Buffer): string[] => decodeListGroups(payload, doing);
    const committed = [];
    for (const group of await this.#connection.send(nodeId, listGroupsRequest(), decode, { doing }))
      committed.push({ group, topics: await this.#topicsOf(group, nodeId) });
    return committed;
  }

  async #topicsOf(group: string, nodeId: number): Promise<ReadonlySet<string>> {
    const doing = `read the committed offsets of group ${group}`;
    const decode = (payload: Buffer): ReadonlySet<string> => decodeCommittedTopics(payload, doing);
    try {
      return await this.#connection.send(nodeId, allOffsetsRequest(group), decode, { doing });
    } catch (error) {
      if (UNREADABLE.includes(codeOf(error))) return new Set();
      throw error;
    }
  }
}
