// The Membership of one process: joins, sends heartbeats, and rejoins by itself.
//
//   new ─▶ joining ⇄ member ─▶ left          expelled or out of reach: lost(), and joining again as a new member
//                                            replaced by another process of its instance: failed(), and left
//
// Owns: this process's member id and heartbeat.
// Does not own: the group (SimulatedGroup).
//
// Invariants
//   SM1  assigned() comes once per generation completed with this member, in order of generation.
//   SM2  After leave() the listener hears nothing more.
import { Retriable, StateInUse, assert, type DurationMs } from '@flatline/base';
import type { Assignment, LocalCheckpoint, Membership, MembershipListener } from '@flatline/ports';
import type { GroupOffsets } from './group-offsets.ts';
import type { Network } from './network.ts';
import type { HeartbeatAnswer, JoinAnswer, SimulatedGroup } from './simulated-group.ts';
import type { SimulatedHost } from './simulated-host.ts';

const HEARTBEAT_MS: DurationMs = 1_000;
const HEARTBEAT_TIMEOUT_MS: DurationMs = 2_000;
const JOIN_TIMEOUT_MS: DurationMs = 30_000;
const RETRY_MS: DurationMs = 100;
/** Without an answer to its heartbeats for this long, a member assumes that the group has dropped it. */
const SESSION_TIMEOUT_MS: DurationMs = 10_000;

export interface MembershipEnvironment {
  readonly host: SimulatedHost;
  readonly network: Network;
  readonly group: SimulatedGroup;
  readonly groupName: string;
  readonly offsets: GroupOffsets;
  /** Static membership; undefined: none. */
  readonly instanceId?: string | undefined;
  /** The facts about this machine's stores that the assigner is told. */
  readonly checkpoints: () => Promise<readonly LocalCheckpoint[]>;
}

export class SimulatedMembership implements Membership {
  readonly #environment: MembershipEnvironment;
  #listener: MembershipListener | undefined;
  #state: 'new' | 'joining' | 'member' | 'left' = 'new';
  #memberId: string | undefined;
  #last: Assignment | undefined;
  #heardAtMs: DurationMs = 0;

  constructor(environment: MembershipEnvironment) {
    this.#environment = environment;
  }

  start(listener: MembershipListener): Promise<void> {
    assert(this.#state === 'new', 'membership is started once');
    this.#listener = listener;
    this.#join();
    return Promise.resolve();
  }

  async confirm(): Promise<Assignment | undefined> {
    if (this.#state !== 'member' || this.#memberId === undefined) return undefined;
    const answer = await this.#heartbeat(this.#memberId);
    return answer.kind === 'member' ? answer.assignment : undefined;
  }

  /** False: a rebalance is under way, or the group has dropped this member. @throws Retriable */
  commit(topic: string, offsets: ReadonlyMap<number, number>): Promise<boolean> {
    const memberId = this.#memberId;
    const generation = this.#last?.generation;
    if (this.#state !== 'member' || memberId === undefined || generation === undefined) return Promise.resolve(false);
    const { host, network, group, groupName, offsets: committed } = this.#environment;
    return network.request<boolean>(host, {
      kind: 'OffsetCommit',
      about: `${groupName} ${topic}`,
      serve: (answer) => {
        const isTaken = group.mayCommit(memberId, generation);
        if (isTaken)
          for (const [partition, offset] of offsets)
            committed.commit({ group: groupName, topic, partition, offset, metadata: '' });
        answer.ok(isTaken);
      },
    });
  }

  async leave(): Promise<void> {
    const memberId = this.#memberId;
    const left = this.#state === 'left';
    this.#state = 'left';
    this.#memberId = undefined;
    if (left || memberId === undefined) return;
    const { host, network, group } = this.#environment;
    await network
      .request<undefined>(host, {
        kind: 'LeaveGroup',
        about: memberId,
        serve: (answer) => {
          group.leave(memberId);
          answer.ok(undefined);
        },
      })
      .catch((error: unknown) => {
        // Lost on the way: the session timeout has the same effect later.
        if (!(error instanceof Retriable)) throw error;
      });
  }

  #join(): void {
    if (this.#state === 'left') return;
    this.#state = 'joining';
    void this.#joinOnce().then(
      (answer) => {
        this.#onJoinAnswer(answer);
      },
      (error: unknown) => {
        this.#onJoinError(error);
      },
    );
  }

  async #joinOnce(): Promise<JoinAnswer> {
    const { host, network, group, checkpoints, instanceId } = this.#environment;
    const known = [...(await checkpoints()), ...(this.#listener?.positions?.() ?? [])];
    const memberId = this.#memberId;
    const request = { memberId, instanceId, instance: host.name, checkpoints: known, last: this.#last };
    return network.request<JoinAnswer>(host, {
      kind: 'JoinGroup',
      about: memberId ?? 'new',
      timeoutMs: JOIN_TIMEOUT_MS,
      serve: (answer) => {
        group.join(request, answer);
      },
    });
  }

  #onJoinAnswer(answer: JoinAnswer): void {
    if (answer === 'replaced') {
      this.#onReplaced();
      return;
    }
    if (answer === 'unknownMember') {
      this.#startOver('the group has dropped this member');
      return;
    }
    if (this.#left()) {
      // Joined after all, though it has left meanwhile: leave again, or the group waits for a member without heartbeats.
      this.#memberId = answer.memberId;
      void this.#leaveAgain(answer.memberId);
      return;
    }
    this.#state = 'member';
    this.#memberId = answer.memberId;
    this.#last = answer;
    this.#heardAtMs = this.#environment.host.monotonicMs();
    this.#beatLater();
    this.#listener?.assigned(answer);
  }

  async #leaveAgain(memberId: string): Promise<void> {
    this.#state = 'joining';
    this.#memberId = memberId;
    await this.leave();
  }

  #onJoinError(error: unknown): void {
    if (this.#left()) return;
    if (!(error instanceof Retriable)) {
      this.#listener?.failed(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    // The group may have taken this member in or not: join as a new member, the other one expires.
    this.#memberId = undefined;
    this.#environment.host.after(RETRY_MS, () => {
      this.#join();
    });
  }

  #beatLater(): void {
    this.#environment.host.after(HEARTBEAT_MS, () => {
      const memberId = this.#memberId;
      if (this.#state !== 'member' || memberId === undefined) return;
      this.#heartbeat(memberId).then(
        (answer) => {
          this.#onHeartbeat(answer, memberId);
        },
        (error: unknown) => {
          this.#onHeartbeatError(error, memberId);
        },
      );
    });
  }

  #onHeartbeat(answer: HeartbeatAnswer, memberId: string): void {
    if (this.#state !== 'member' || this.#memberId !== memberId) return;
    this.#heardAtMs = this.#environment.host.monotonicMs();
    if (answer.kind === 'replaced') this.#onReplaced();
    else if (answer.kind === 'unknownMember') this.#startOver('the group has dropped this member');
    else if (answer.kind === 'rebalancing') this.#join();
    else this.#beatLater();
  }

  #onHeartbeatError(error: unknown, memberId: string): void {
    if (this.#state !== 'member' || this.#memberId !== memberId) return;
    const silentMs = this.#environment.host.monotonicMs() - this.#heardAtMs;
    if (!(error instanceof Retriable)) {
      this.#listener?.failed(error instanceof Error ? error : new Error(String(error)));
    } else if (silentMs >= SESSION_TIMEOUT_MS) this.#startOver(`no coordinator for ${silentMs} ms`);
    else this.#beatLater();
  }

  /** The instance belongs to another process by now, and joining again would take its place. */
  #onReplaced(): void {
    if (this.#left()) return;
    this.#state = 'left';
    this.#memberId = undefined;
    this.#listener?.failed(new StateInUse('another process has joined as this instance'));
  }

  #startOver(reason: string): void {
    if (this.#left()) return;
    this.#memberId = undefined;
    this.#listener?.lost(reason);
    this.#join();
  }

  /** Read through a method: awaits lie between its writing and its reading. */
  #left(): boolean {
    return this.#state === 'left';
  }

  #heartbeat(memberId: string): Promise<HeartbeatAnswer> {
    const { host, network, group } = this.#environment;
    return network.request<HeartbeatAnswer>(host, {
      kind: 'Heartbeat',
      about: memberId,
      timeoutMs: HEARTBEAT_TIMEOUT_MS,
      serve: (answer) => {
        answer.ok(group.heartbeat(memberId));
      },
    });
  }
}
