// Decides which member of the group should own which partition. Pure: the leader runs it, anyone can replay it.
//
// In this order: every partition exactly once and counts that differ by at most one; stay where it is; the freshest local
// checkpoint (the least changelog to read); the least loaded. The order of the members does not matter.
//
// The first standby of a partition is the heir: who would get it if its owner were gone, by these same rules. So a standby
// is where it is needed, and when it is needed it is what the freshest checkpoint points to.
//
// Where members name their racks, a partition's first standby is never in its owner's rack: there is none rather than one that
// would be lost together with the owner. An heir in the owner's rack gives way to whoever follows most closely elsewhere. Further
// standbys go to the racks with the fewest copies.
import { assert } from '@flatline/base';
import type { LocalCheckpoint } from '@flatline/ports';

/** Claim of one member in a rebalance. */
export interface MemberClaim {
  readonly memberId: string;
  /** Generation of the assignment `owned` comes from, −1 for none. The later of two claims to a partition counts. */
  readonly generation: number;
  readonly owned: readonly number[];
  readonly checkpoints: readonly LocalCheckpoint[];
  /** The site or zone that it is lost with. Default, and empty: it is lost alone. */
  readonly rack?: string;
}

export interface MemberPartitions {
  readonly memberId: string;
  /** Ascending. */
  readonly partitions: readonly number[];
  /** Partitions this member should hold a standby of; ascending, never one of its own. */
  readonly standbys: readonly number[];
}

const NO_MEMBER = -1;
/** Below every position. */
const NO_CHECKPOINT = -1;

/**
 * @param partitionCount of the input topic; claims beyond it are ignored.
 * @param standbys wanted per partition; fewer where there are not enough members.
 * @returns one element per member, by member id.
 */
export function assign(
  members: readonly MemberClaim[],
  partitionCount: number,
  standbys = 0,
): readonly MemberPartitions[] {
  assert(members.length > 0, 'a group has members');
  const sorted = [...members].sort((a, b) => compareText(a.memberId, b.memberId));
  const group = new Placement(sorted, partitionCount);
  group.keepClaims();
  group.placeFreshest();
  group.spreadRest();
  const standbysOf = nameStandbys(group, sorted, standbys);
  return sorted.map(({ memberId }, index) => ({
    memberId,
    partitions: group.partitionsOf(index),
    standbys: standbysOf[index]!,
  }));
}

/** The work in progress of one `assign`. Members and partitions are their numbers. */
class Placement {
  readonly memberCount: number;
  readonly owners: number[];
  readonly #claimed: readonly (readonly number[])[];
  readonly #counts: number[];
  /** Changelog positions, by member and partition. */
  readonly #positions: readonly ReadonlyMap<number, number>[];
  readonly #freshest: readonly number[];
  /** Everyone gets this many, and `#extra` members one more. */
  readonly #floor: number;
  #extra: number;

  constructor(members: readonly MemberClaim[], partitionCount: number) {
    this.memberCount = members.length;
    this.owners = new Array<number>(partitionCount).fill(NO_MEMBER);
    this.#counts = new Array<number>(members.length).fill(0);
    this.#positions = members.map(({ checkpoints }) => positionsOf(checkpoints, partitionCount));
    this.#freshest = this.owners.map((_, partition) =>
      Math.max(...this.#positions.map((positions) => positions.get(partition) ?? NO_CHECKPOINT)),
    );
    this.#claimed = claimedBy(members, partitionCount);
    this.#floor = Math.floor(partitionCount / members.length);
    this.#extra = partitionCount % members.length;
  }

  /** How far a member's checkpoint is behind the freshest one: the changelog it would have to read. */
  lag(partition: number, member: number): number {
    const position = this.#positions[member]!.get(partition);
    return position === undefined ? Infinity : this.#freshest[partition]! - position;
  }

  partitionsOf(member: number): number[] {
    return this.owners.flatMap((owner, partition) => (owner === member ? [partition] : []));
  }

  /** As many claims as balance permits; a member that must give up some gives up those that are cheapest to move. */
  keepClaims(): void {
    this.#claimed.forEach((claims, member) => {
      if (claims.length <= this.#floor) for (const partition of claims) this.#place(partition, member);
    });
    this.#claimed.forEach((claims, member) => {
      if (claims.length > this.#floor)
        for (const partition of this.#dearestFirst(claims)) this.#place(partition, member);
    });
  }

  countOf(member: number): number {
    return this.#counts[member]!;
  }

  /**
   * Passes over members without `room`, which is asked again for each partition. The freshest checkpoint may exceed it by one:
   * else a standby that `spreadRest` placed one too many would not stay.
   */
  placeFreshest(room: (member: number) => number = unbounded): void {
    const offers = this.#unowned().flatMap((partition) =>
      this.#claimed.map((_, member) => ({ partition, member, lag: this.lag(partition, member) })),
    );
    const best = offers
      .filter(({ lag }) => lag < Infinity)
      .sort((a, b) => a.lag - b.lag || a.partition - b.partition || a.member - b.member);
    for (const { partition, member, lag } of best)
      if (this.owners[partition] === NO_MEMBER && room(member) + Number(lag === 0) > 0) this.#place(partition, member);
  }

  /** To the least loaded; of equally loaded members, to the one with the least `burden`. */
  spreadRest(burden: (member: number) => number = nothing): void {
    for (const partition of this.#unowned()) {
      const least = Math.min(...this.#counts);
      const members = this.#counts.flatMap((count, member) => (count === least ? [member] : []));
      this.#place(partition, minBy(members, burden));
    }
  }

  #unowned(): number[] {
    return this.partitionsOf(NO_MEMBER);
  }

  #dearestFirst(claims: readonly number[]): readonly number[] {
    const receivers = this.#claimed.flatMap((others, member) => (others.length <= this.#floor ? [member] : []));
    const price = (partition: number): number => Math.min(...receivers.map((member) => this.lag(partition, member)));
    const priced = claims.map((partition) => ({ partition, price: price(partition) }));
    return priced
      .sort((a, b) => compareNumbers(b.price, a.price) || a.partition - b.partition)
      .map((claim) => claim.partition);
  }

  #place(partition: number, member: number): void {
    const count = this.#counts[member]!;
    if (count > this.#floor || (count === this.#floor && this.#extra === 0)) return;
    if (count === this.#floor) this.#extra -= 1;
    this.#counts[member] = count + 1;
    this.owners[partition] = member;
  }
}

/** Valid claims by member: among several claimants the one of the latest generation, the others are zombies. */
function claimedBy(members: readonly MemberClaim[], partitionCount: number): readonly (readonly number[])[] {
  const claimant = new Array<number>(partitionCount).fill(NO_MEMBER);
  members.forEach(({ owned, generation }, member) => {
    for (const partition of owned) {
      const rival = claimant[partition];
      if (rival === undefined) continue;
      if (rival === NO_MEMBER || members[rival]!.generation < generation) claimant[partition] = member;
    }
  });
  return members.map((_, member) => claimant.flatMap((owner, partition) => (owner === member ? [partition] : [])));
}

function positionsOf(checkpoints: readonly LocalCheckpoint[], partitionCount: number): ReadonlyMap<number, number> {
  const known = checkpoints.filter(({ partition }) => partition < partitionCount);
  return new Map(known.map(({ partition, changelogPosition }) => [partition, changelogPosition]));
}

/** For each member the partitions it should stand by for, ascending: the heir first, then the freshest, evenly as far as that goes. */
function nameStandbys(
  group: Placement,
  members: readonly MemberClaim[],
  wanted: number,
): readonly (readonly number[])[] {
  const named: number[][] = members.map(() => []);
  const perPartition = Math.min(wanted, members.length - 1);
  if (perPartition <= 0) return named;
  const fair = Math.ceil((group.owners.length * perPartition) / members.length);
  members.forEach((_, owner) => {
    nameHeirs(group, members, owner, { named, fair });
  });
  const isTogether = (a: number, b: number): boolean => a !== b && sharesRack(members[a]!, members[b]!);
  for (const [partition, owner] of group.owners.entries()) {
    const holders = (): number[] => named.flatMap((held, member) => (held.includes(partition) ? [member] : []));
    for (let copies = holders(); copies.length < perPartition; copies = holders()) {
      const crowd = (member: number): number => [owner, ...copies].filter((each) => isTogether(each, member)).length;
      const [best] = named
        .map((held, member) => ({ member, held, lag: group.lag(partition, member), crowd: crowd(member) }))
        .filter(({ member, held }) => member !== owner && !held.includes(partition))
        .filter((each) => copies.length > 0 || each.crowd === 0)
        .sort(
          (a, b) =>
            a.crowd - b.crowd ||
            Number(a.held.length >= fair) - Number(b.held.length >= fair) ||
            compareNumbers(a.lag, b.lag) ||
            a.held.length - b.held.length,
        );
      if (best === undefined) break;
      best.held.push(partition);
    }
  }
  return named.map((held) => held.sort(compareNumbers));
}

/** True if both name the same one. */
function sharesRack({ rack: a = '' }: MemberClaim, { rack: b = '' }: MemberClaim): boolean {
  return a !== '' && a === b;
}

/** Places the partitions of `owner` as if it were gone, and names who gets them; not those who would be gone with it. */
function nameHeirs(
  group: Placement,
  members: readonly MemberClaim[],
  owner: number,
  { named, fair }: { readonly named: readonly number[][]; readonly fair: number },
): void {
  const left = members.flatMap((member, index) => (index === owner ? [] : [{ member, index }]));
  const claims = left.map(({ member, index }) => ({ ...member, owned: group.partitionsOf(index), generation: 0 }));
  const without = new Placement(claims, group.owners.length);
  without.keepClaims();
  const burden = (member: number): number =>
    named[left[member]!.index]!.length + without.countOf(member) - claims[member]!.owned.length;
  const least = Math.floor(group.owners.length / left.length);
  // Balance makes a member with few partitions the heir of some of every owner, however many it has: those of the owners
  // to come are kept free.
  const room = (member: number): number => {
    const { index } = left[member]!;
    const perOwner = Math.max(0, least - claims[member]!.owned.length);
    const ownersToCome = members.length - 1 - owner - Number(index > owner);
    return Math.max(fair, perOwner * left.length) - perOwner * ownersToCome - burden(member);
  };
  without.placeFreshest(room);
  without.spreadRest(burden);
  for (const partition of group.partitionsOf(owner)) {
    const { member, index } = left[without.owners[partition]!]!;
    if (!sharesRack(members[owner]!, member)) named[index]!.push(partition);
  }
}

function minBy(members: readonly number[], burden: (member: number) => number): number {
  return members.reduce((best, member) => (burden(member) < burden(best) ? member : best));
}

function unbounded(): number {
  return Infinity;
}

function nothing(): number {
  return 0;
}

/** Infinities are equal to each other, which a difference would not say. */
function compareNumbers(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
