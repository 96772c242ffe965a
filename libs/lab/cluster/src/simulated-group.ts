// The brokers' group coordinator, classic protocol, eager: a barrier at which all members meet, then a new generation.
//
//   stable ─▶ rebalancing (until every member has joined again, or the slow ones are dropped) ─▶ stable
//
// Owns: members, generations, assignments.
// Does not own: who may write (the fence decides).
//
// Invariants
//   SG1  Generations only grow; within one generation no partition is assigned twice.
//   SG2  A member not heard from for the session timeout is dropped; it learns so from its next request.
//   SG3  The group has one member per instance id, the newest that joined under it: in a stable group that one takes over its
//        predecessor's partitions, without a rebalance (KIP-345), and the predecessor learns so from its next request.
import type { Cancel, DurationMs } from '@flatline/base';
import type { Assignment, InstancePartitions, LocalCheckpoint } from '@flatline/ports';
import type { FaultPlan } from './fault-plan.ts';
import type { Answer } from './network.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface GroupMember {
  readonly memberId: string;
  readonly instance: string;
  readonly checkpoints: readonly LocalCheckpoint[];
  /** The partitions it says it had, and in which generation: −1 if it never had any. The claim of a dropped member may be old. */
  readonly owned: readonly number[];
  readonly generation: number;
}

/** Partitions for each member id. Members come in order of member id. */
export type Assign = (members: readonly GroupMember[], partitions: number) => ReadonlyMap<string, readonly number[]>;

export interface GroupSettings {
  readonly partitions: number;
  readonly sessionTimeoutMs?: DurationMs;
  readonly rebalanceTimeoutMs?: DurationMs;
  readonly assign?: Assign;
  /** Standbys of each partition; fewer if there are not enough members. */
  readonly standbys?: number;
}

export type HeartbeatAnswer =
  | { readonly kind: 'member'; readonly assignment: Assignment }
  | { readonly kind: 'rebalancing' }
  | { readonly kind: 'unknownMember' }
  | { readonly kind: 'replaced' };

export interface JoinRequest {
  /** undefined: a new member. */
  readonly memberId: string | undefined;
  /** undefined: not a static member. */
  readonly instanceId?: string | undefined;
  readonly instance: string;
  readonly checkpoints: readonly LocalCheckpoint[];
  /** The last assignment of this process. */
  readonly last: Assignment | undefined;
}

export type JoinAnswer = Assignment | 'unknownMember' | 'replaced';

interface Member {
  memberId: string;
  instance: string;
  request: JoinRequest;
  assigned: readonly number[];
  standbys: readonly number[];
  joined: Answer<JoinAnswer> | undefined;
  cancelExpiry: Cancel;
}

export interface GroupEnvironment {
  readonly time: VirtualTime;
  readonly faults: FaultPlan;
  readonly trace: Trace;
}

/** Time for which a rebalance stays open for newcomers once all known members have joined. */
const JOIN_DELAY_MS = 3;
const nothing = (): void => undefined;

export class SimulatedGroup {
  readonly #environment: GroupEnvironment;
  readonly #settings: Required<GroupSettings>;
  readonly #members = new Map<string, Member>();
  /** Ids of members replaced by another process of their instance. */
  readonly #replaced = new Set<string>();
  #generation = 0;
  #nextMember = 1;
  #state: 'stable' | 'rebalancing' = 'stable';
  #cancelDeadline: Cancel = nothing;
  #cancelCompletion: Cancel = nothing;

  constructor(environment: GroupEnvironment, settings: GroupSettings) {
    this.#environment = environment;
    this.#settings = {
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 10_000,
      assign: keepAndSpread,
      standbys: 0,
      ...settings,
    };
  }

  get generation(): number {
    return this.#generation;
  }

  get rebalancing(): boolean {
    return this.#state === 'rebalancing';
  }

  /** The assignments as the group sees them; a dead member stays until its session times out. */
  members(): readonly {
    readonly memberId: string;
    readonly instance: string;
    readonly partitions: readonly number[];
  }[] {
    return [...this.#members.values()].map(({ memberId, instance, assigned }) => ({
      memberId,
      instance,
      partitions: assigned,
    }));
  }

  /** JoinGroup and SyncGroup in one: answered when the barrier is complete. */
  join(request: JoinRequest, answer: Answer<JoinAnswer>): void {
    const { memberId } = request;
    if (memberId === undefined && this.#comeBack(request, answer)) return;
    const known = memberId === undefined ? this.#admit(request) : this.#members.get(memberId);
    if (known === undefined) {
      answer.ok(this.#replaced.has(memberId!) ? 'replaced' : 'unknownMember');
      return;
    }
    known.request = request;
    known.joined = answer;
    this.#heard(known);
    if (this.#state === 'stable') this.#rebalance(`${known.instance} joins`);
    this.#completeWhenAllJoined();
  }

  heartbeat(memberId: string): HeartbeatAnswer {
    const member = this.#members.get(memberId);
    if (member === undefined) return { kind: this.#replaced.has(memberId) ? 'replaced' : 'unknownMember' };
    this.#heard(member);
    if (this.#state === 'rebalancing') return { kind: 'rebalancing' };
    return { kind: 'member', assignment: this.#assignmentOf(member) };
  }

  /** True if this member may commit offsets: those of another generation are refused, and of one that was dropped. */
  mayCommit(memberId: string, generation: number): boolean {
    const member = this.#members.get(memberId);
    if (member === undefined || generation !== this.#generation) return false;
    this.#heard(member);
    return true;
  }

  leave(memberId: string): void {
    const member = this.#members.get(memberId);
    if (member !== undefined) this.#drop(member, 'leaves');
  }

  /** SG3. False: the instance has no member here, or the group is rebalancing and takes the newcomer like any other. */
  #comeBack(request: JoinRequest, answer: Answer<JoinAnswer>): boolean {
    const { instanceId, instance } = request;
    if (instanceId === undefined) return false;
    const former = [...this.#members.values()].find((member) => member.request.instanceId === instanceId);
    if (former === undefined) return false;
    former.cancelExpiry();
    former.joined?.ok('replaced');
    this.#members.delete(former.memberId);
    this.#replaced.add(former.memberId);
    this.#environment.faults.count('memberReplaced');
    if (this.#state !== 'stable') return false;
    const { assigned, standbys } = former;
    const member = { ...this.#admit(request), assigned, standbys };
    this.#members.set(member.memberId, member);
    this.#environment.trace.note(`${instance} comes back as ${member.memberId}`);
    this.#heard(member);
    answer.ok(this.#assignmentOf(member));
    return true;
  }

  #admit(request: JoinRequest): Member {
    const { instance } = request;
    const memberId = `${instance}-${this.#nextMember++}`;
    const member = {
      memberId,
      instance,
      request,
      assigned: [],
      standbys: [],
      joined: undefined,
      cancelExpiry: nothing,
    };
    this.#members.set(memberId, member);
    return member;
  }

  #heard(member: Member): void {
    member.cancelExpiry();
    member.cancelExpiry = this.#environment.time.after(this.#settings.sessionTimeoutMs, () => {
      // A member that waits at the barrier need not be heard from.
      if (member.joined !== undefined) return;
      this.#environment.faults.count('memberExpired');
      this.#drop(member, 'expires');
    });
  }

  #drop(member: Member, why: string): void {
    member.cancelExpiry();
    this.#members.delete(member.memberId);
    if (this.#state === 'stable') this.#rebalance(`${member.instance} ${why}`);
    this.#completeWhenAllJoined();
  }

  #rebalance(why: string): void {
    this.#state = 'rebalancing';
    this.#environment.trace.note(`group rebalances: ${why}`);
    this.#environment.faults.count('rebalance');
    this.#cancelDeadline = this.#environment.time.after(this.#settings.rebalanceTimeoutMs, () => {
      for (const member of [...this.#members.values()]) {
        if (member.joined === undefined) this.#drop(member, 'did not join in time');
      }
    });
  }

  #completeWhenAllJoined(): void {
    this.#cancelCompletion();
    if (this.#state === 'stable' || [...this.#members.values()].some((member) => member.joined === undefined)) return;
    this.#cancelCompletion = this.#environment.time.after(JOIN_DELAY_MS, () => {
      this.#complete();
    });
  }

  #complete(): void {
    this.#cancelDeadline();
    this.#state = 'stable';
    this.#generation += 1;
    const members = [...this.#members.values()].sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
    const claims = members.map(claimOf);
    const assigned = this.#settings.assign(claims, this.#settings.partitions);
    const standbys = nameStandbys(claims, assigned, this.#settings.standbys);
    for (const member of members) {
      member.assigned = assigned.get(member.memberId) ?? [];
      member.standbys = standbys.get(member.memberId) ?? [];
    }
    // Each is told of all.
    for (const member of members) {
      this.#environment.trace.note(
        `generation ${this.#generation}: ${member.memberId} has ${member.assigned.join(' ')}`,
      );
      const { joined } = member;
      member.joined = undefined;
      this.#heard(member);
      joined?.ok(this.#assignmentOf(member));
    }
  }

  #assignmentOf({ memberId, assigned, standbys }: Member): Assignment {
    return { generation: this.#generation, memberId, partitions: assigned, standbys, instances: this.#instances() };
  }

  /** In the order of their names, as of the generation: one that dies is among them until the group has noticed. */
  #instances(): readonly InstancePartitions[] {
    const all = [...this.#members.values()].map(({ instance: name, assigned: partitions, standbys }) => ({
      name,
      endpoint: `http://${name}`,
      partitions,
      standbys,
    }));
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

const claimOf = ({ memberId, instance, request }: Member): GroupMember => ({
  memberId,
  instance,
  checkpoints: request.checkpoints,
  owned: request.last?.partitions ?? [],
  generation: request.last?.generation ?? -1,
});

/** How far the member follows the partition's changelog; −1 if it has nothing of it. */
function freshness({ checkpoints }: GroupMember, partition: number): number {
  const known = checkpoints.filter((checkpoint) => checkpoint.partition === partition);
  return Math.max(-1, ...known.map(({ changelogPosition }) => changelogPosition));
}

/** Names for each partition the freshest members that do not own it; among equals, those with the fewest standbys. */
function nameStandbys(
  members: readonly GroupMember[],
  assigned: ReadonlyMap<string, readonly number[]>,
  wanted: number,
): ReadonlyMap<string, number[]> {
  const named = new Map(members.map(({ memberId }) => [memberId, [] as number[]]));
  const held = ({ memberId }: GroupMember): number => named.get(memberId)!.length;
  for (const [owner, partitions] of assigned)
    for (const partition of partitions) {
      const others = members.filter(({ memberId }) => memberId !== owner);
      const ranked = others.toSorted((a, b) => freshness(b, partition) - freshness(a, partition) || held(a) - held(b));
      for (const { memberId } of ranked.slice(0, wanted)) named.get(memberId)!.push(partition);
    }
  return named;
}

/** Members keep their partitions up to an even share; the rest goes to the freshest checkpoint with room, then to the least loaded. */
export function keepAndSpread(members: readonly GroupMember[], partitions: number): ReadonlyMap<string, number[]> {
  const assigned = new Map(members.map((member) => [member.memberId, [] as number[]]));
  if (members.length === 0) return assigned;
  const share = Math.ceil(partitions / members.length);
  const load = ({ memberId }: GroupMember): number => assigned.get(memberId)!.length;
  // If two members claim it, the one of the later generation had it.
  const claim = (member: GroupMember, partition: number): number =>
    member.owned.includes(partition) ? member.generation : -1;
  for (let partition = 0; partition < partitions; partition += 1) {
    const room = members.filter((member) => load(member) < share);
    const ranked = room.toSorted(
      (a, b) =>
        claim(b, partition) - claim(a, partition) ||
        freshness(b, partition) - freshness(a, partition) ||
        load(a) - load(b),
    );
    assigned.get(ranked[0]!.memberId)!.push(partition);
  }
  return assigned;
}
