// Membership of one instance in one consumer group: a small client of the classic group protocol.
//
// Owns: member id, generation, the heartbeat, the connection.
// Does not own: tasks. Nothing is revoked here: tasks run on through a rebalance and until fenced (architecture, Ownership),
// so the eager protocol costs no gap.
//
//   created → joining ⇄ member → left | failed
//
// Invariants
//   MB1  `assigned` is called once per completed rebalance, and again where the coordinator is back after `lost`.
//   MB2  Heartbeats go on by the clock alone: no fetch, no commit and no listener holds them up (kafkajs 12).
//   MB3  What a member claims when it joins is its last assignment with that assignment's generation, whatever happened since.
//   MB4  An instance's id is its newest process's: a former one that hears of it ends, and never joins again under that id.
import {
  assert,
  type Clock,
  type DurationMs,
  Fatal,
  MalformedBytes,
  messageOf,
  Misconfigured,
  StateInUse,
} from '@flatline/base';
import type { Assignment, LocalCheckpoint, Membership, MembershipListener } from '@flatline/ports';
import { BackOff, type KafkaConnection } from '../connection/index.ts';
import { CONSUMER_PROTOCOL_TYPE, decodeAssignment, encodeSubscription } from './consumer-protocol.ts';
import { GroupClient } from './group-client.ts';
import { assignGroup, sharedPartitionCount } from './group-leader.ts';
import { type JoinAnswer } from './group-requests.ts';
import { type GroupStep, stepAfter } from './group-step.ts';
import type { Offsets } from './offset-commit.ts';
import { decodeLeaderStatement, encodeMemberStatement } from './user-data.ts';
import { Wait } from '@flatline/system';

export interface KafkaMembershipOptions {
  readonly clock: Clock;
  /** This membership's alone, since JoinGroup keeps a connection waiting; closed by `leave`. */
  readonly connection: KafkaConnection;
  readonly group: string;
  /** The inputs: co-partitioned, so one partition number of all of them is assigned together. */
  readonly topics: readonly string[];
  /** Asked before each join; what the listener knows of newer positions comes on top. */
  readonly localCheckpoints: () => Promise<readonly LocalCheckpoint[]>;
  /** Human-readable name of this instance. */
  readonly name?: string;
  /**
   * Static membership (KIP-345): the process that comes back under this id within the session timeout has the partitions of
   * its former self at once, and nothing else moves. No two at a time. Default: none.
   */
  readonly instanceId?: string | undefined;
  /** Where the other instances reach this one over HTTP. */
  readonly endpoint?: string;
  /** Per partition. Default 0. */
  readonly standbys?: number;
  /** The site or zone that this instance is lost with: no other one that says the same is first to stand by for it. Default: none. */
  readonly rack?: string | undefined;
  readonly heartbeatIntervalMs?: DurationMs;
  readonly sessionTimeoutMs?: DurationMs;
  /** How long a rebalance waits for members that do not come back. */
  readonly rebalanceTimeoutMs?: DurationMs;
  /** How often the leader looks whether the inputs have got other partitions. */
  readonly partitionCheckMs?: DurationMs;
}

const HEARTBEAT_INTERVAL_MS: DurationMs = 1_000;
const SESSION_TIMEOUT_MS: DurationMs = 10_000;
const PARTITION_CHECK_MS: DurationMs = 30_000;
/** The name of our assigner in the group: members of another one are refused by the broker. */
const PROTOCOL = 'flatline-sticky';
const BACK_OFF = { firstMs: 20, mostMs: 1_000 };

type MemberState =
  | { readonly kind: 'created' | 'joining' | 'left' | 'failed' }
  | { readonly kind: 'member'; readonly assignment: Assignment };

type Joined = Extract<JoinAnswer, { kind: 'joined' }>;

export class KafkaMembership implements Membership {
  readonly #options: KafkaMembershipOptions;
  readonly #client: GroupClient;
  readonly #sessionTimeoutMs: DurationMs;
  readonly #backOff = new BackOff(BACK_OFF);
  readonly #wait: Wait;
  #listener: MembershipListener | undefined;
  #state: MemberState = { kind: 'created' };
  #memberId = '';
  /** MB3. */
  #last: Assignment | undefined;
  /** Partition count that was assigned by this member as leader, or that it came back to. */
  #assignedCount: number | undefined;
  #partitionsChanged = false;
  /** When the last heartbeat was sent that the coordinator answered. */
  #heardAtMs: DurationMs = 0;
  /** Why the coordinator is not heard, as last reported; undefined: it is. */
  #reportedWhy: string | undefined;
  #leaving: Promise<void> | undefined;

  constructor(options: KafkaMembershipOptions) {
    const { connection, group, sessionTimeoutMs = SESSION_TIMEOUT_MS } = options;
    this.#options = options;
    this.#sessionTimeoutMs = sessionTimeoutMs;
    this.#wait = new Wait(options.clock);
    this.#client = new GroupClient(connection, {
      group,
      instanceId: options.instanceId ?? null,
      sessionTimeoutMs,
      rebalanceTimeoutMs: options.rebalanceTimeoutMs ?? sessionTimeoutMs,
      protocolType: CONSUMER_PROTOCOL_TYPE,
      protocol: PROTOCOL,
    });
  }

  /** Resolves with the first assignment, or when `leave` is called before it. @throws what `failed` gets. */
  start(listener: MembershipListener): Promise<void> {
    assert(this.#state.kind === 'created', 'a membership is started once');
    this.#state = { kind: 'joining' };
    this.#listener = listener;
    return new Promise((resolve, reject) => {
      void this.#live({
        assigned: (assignment) => {
          listener.assigned(assignment);
          resolve();
        },
        lost: (reason) => {
          listener.lost(reason);
        },
        failed: (error) => {
          listener.failed(error);
          reject(error);
        },
      }).then(resolve);
    });
  }

  async confirm(): Promise<Assignment | undefined> {
    const state = this.#state;
    if (state.kind !== 'member') return undefined;
    try {
      await this.#client.heartbeat(state.assignment);
    } catch (error) {
      const step = stepAfter(error);
      if (step.kind === 'findCoordinator') this.#client.forgetCoordinator();
      // The next heartbeat of `#stay` meets the same answer and acts on it.
      this.#wait.wake();
      if (isDismissal(step)) return undefined;
      throw error;
    }
    return this.#state === state ? state.assignment : undefined;
  }

  /**
   * Commits offsets of partitions that the assignment in force names. False: a rebalance is under way, and whoever gets the
   * partitions goes on from what was committed before. @throws Retriable, Fatal
   */
  async commit(topic: string, offsets: Offsets): Promise<boolean> {
    const state = this.#state;
    if (state.kind !== 'member') return false;
    try {
      await this.#client.commit(state.assignment, topic, offsets);
      return true;
    } catch (error) {
      const step = stepAfter(error);
      if (step.kind === 'findCoordinator') this.#client.forgetCoordinator();
      if (isDismissal(step)) return false;
      throw error;
    }
  }

  leave(): Promise<void> {
    this.#leaving ??= this.#leave('left');
    return this.#leaving;
  }

  async #leave(as: 'left' | 'failed'): Promise<void> {
    this.#state = { kind: as };
    this.#wait.wake();
    try {
      if (this.#memberId !== '') await this.#client.leave(this.#memberId);
    } catch {
      // The session timeout removes the member where the coordinator does not hear it.
    } finally {
      this.#options.connection.close();
    }
  }

  #ended(): boolean {
    return this.#state.kind === 'left' || this.#state.kind === 'failed';
  }

  async #live(listener: MembershipListener): Promise<void> {
    while (!this.#ended()) {
      try {
        const assignment = await this.#join();
        if (this.#ended()) return;
        this.#state = { kind: 'member', assignment };
        this.#last = assignment;
        this.#backOff.reset();
        listener.assigned(assignment);
        await this.#stay(assignment, listener);
      } catch (error) {
        if (!this.#ended()) await this.#recover(error, listener);
      }
    }
  }

  /** Beats until an error ends this generation for the member, and throws it; or until there is reason to join again. */
  async #stay(assignment: Assignment, listener: MembershipListener): Promise<void> {
    const { clock, heartbeatIntervalMs = HEARTBEAT_INTERVAL_MS, partitionCheckMs = PARTITION_CHECK_MS } = this.#options;
    this.#heardAtMs = clock.monotonicMs();
    let checkedAtMs = this.#heardAtMs;
    while (!this.#partitionsChanged) {
      await this.#wait.for(heartbeatIntervalMs);
      if (this.#ended()) return;
      if (clock.monotonicMs() - checkedAtMs >= partitionCheckMs) {
        checkedAtMs = clock.monotonicMs();
        void this.#checkPartitions();
      }
      await this.#beat(assignment, listener);
    }
  }

  async #beat(assignment: Assignment, listener: MembershipListener): Promise<void> {
    const askedAtMs = this.#options.clock.monotonicMs();
    try {
      await this.#client.heartbeat(assignment);
    } catch (error) {
      const { kind } = stepAfter(error);
      if (this.#ended() || (kind !== 'findCoordinator' && kind !== 'wait')) throw error;
      if (kind === 'findCoordinator') this.#client.forgetCoordinator();
      this.#unheard(error, listener);
      return;
    }
    this.#heardAtMs = askedAtMs;
    if (this.#reportedWhy === undefined || this.#ended()) return;
    this.#reportedWhy = undefined;
    listener.assigned(assignment);
  }

  #unheard(error: unknown, listener: MembershipListener): void {
    const silentMs = this.#options.clock.monotonicMs() - this.#heardAtMs;
    const why = messageOf(error);
    // The obstacle may change: a broker that was away is back, and refuses a certificate.
    if (this.#reportedWhy === why || silentMs < this.#sessionTimeoutMs) return;
    this.#reportedWhy = why;
    listener.lost(`the coordinator has not answered for ${Math.round(silentMs)} ms: ${why}`);
  }

  /** The leader's rejoining makes the broker ask everybody to rejoin, so that the new partitions are assigned. */
  async #checkPartitions(): Promise<void> {
    if (this.#assignedCount === undefined) return;
    try {
      if ((await this.#partitionCount()) === this.#assignedCount) return;
    } catch {
      // Errors of the topics are reported when they are assigned; the next check asks again.
      return;
    }
    this.#partitionsChanged = true;
    this.#wait.wake();
  }

  async #join(): Promise<Assignment> {
    this.#state = { kind: 'joining' };
    this.#partitionsChanged = false;
    const answer = await this.#client.join(this.#memberId, await this.#subscription());
    this.#memberId = answer.memberId;
    if (answer.kind === 'named') return this.#join();
    const { generation, memberId } = answer;
    const assignments = answer.leaderId === memberId ? await this.#assignAll(answer) : this.#follow();
    const bytes = await this.#client.sync({ generation, memberId }, assignments);
    return this.#assignmentOf(bytes, answer);
  }

  #follow(): [] {
    this.#assignedCount = undefined;
    return [];
  }

  async #assignAll({ members }: Joined): Promise<ReturnType<typeof assignGroup>> {
    const { topics, standbys = 0 } = this.#options;
    const partitionCount = await this.#partitionCount();
    this.#assignedCount = partitionCount;
    return assignGroup(members, { topics, partitionCount, standbys });
  }

  async #partitionCount(): Promise<number> {
    const { connection, group, topics } = this.#options;
    return sharedPartitionCount(group, topics, (await connection.refresh(topics)).topics);
  }

  async #subscription(): Promise<Uint8Array> {
    const { topics, localCheckpoints, endpoint = '', name = '', rack = '' } = this.#options;
    const { generation = -1, partitions = [] } = this.#last ?? {};
    // The assigner takes the last position named for a partition: what is in memory is ahead of the store.
    const checkpoints = [...(await localCheckpoints()), ...(this.#listener?.positions?.() ?? [])];
    const statement = { generation, owned: partitions, checkpoints, endpoint, name, rack };
    return encodeSubscription({ topics, userData: encodeMemberStatement(statement) });
  }

  #assignmentOf(bytes: Buffer, { generation, memberId }: Joined): Assignment {
    const { group, topics } = this.#options;
    const assigned = assignmentIn(bytes, group);
    if (assigned.topics.length > 0 && assigned.topics.join() !== topics.join()) {
      throw new Misconfigured(
        `the instances of ${group} read different inputs: this one ${topics.join(', ')}, the leader ${assigned.topics.join(', ')}; configure them alike`,
      );
    }
    const { standbys = [], instances = [], partitionCount } = decodeLeaderStatement(assigned.userData) ?? {};
    // A leader that has come back is not told that it leads (KIP-814), so each that may be it looks for new partitions.
    if (this.#options.instanceId !== undefined) this.#assignedCount ??= partitionCount;
    return { generation, memberId, partitions: assigned.partitions, standbys, instances };
  }

  #replaced(): StateInUse {
    const { group, instanceId = '' } = this.#options;
    return new StateInUse(
      `another process has joined ${group} as instance ${instanceId}, and this one has lost its place: give each process an ` +
        'instance of its own (instance, --instance, FLATLINE_INSTANCE)',
    );
  }

  async #recover(error: unknown, listener: MembershipListener): Promise<void> {
    const step = stepAfter(error);
    switch (step.kind) {
      case 'rejoin':
        if (step.lost) listener.lost(messageOf(error));
        return;
      case 'rejoinAsNew':
        this.#memberId = '';
        listener.lost(messageOf(error));
        return;
      case 'replaced':
        await this.#leave('failed');
        listener.failed(this.#replaced());
        return;
      case 'findCoordinator':
        this.#client.forgetCoordinator();
        return this.#wait.for(this.#backOff.nextDelayMs());
      case 'wait':
        return this.#wait.for(this.#backOff.nextDelayMs());
      case 'fail':
        await this.#leave('failed');
        listener.failed(error instanceof Error ? error : new Fatal(String(error)));
    }
  }
}

/** The group has said that this member's partitions are no longer, or may no longer be, its own. */
function isDismissal({ kind }: GroupStep): boolean {
  return kind === 'rejoin' || kind === 'rejoinAsNew' || kind === 'replaced';
}

function assignmentIn(bytes: Buffer, group: string): ReturnType<typeof decodeAssignment> {
  try {
    return decodeAssignment(bytes);
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw new Fatal(`the leader of ${group} assigns in a format this instance cannot read: ${error.message}`, error);
  }
}
