import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { assign, type MemberClaim, type MemberPartitions } from './assigner.ts';

const claim = (memberId: string, claims: Partial<MemberClaim> = {}): MemberClaim => ({
  memberId,
  generation: -1,
  owned: [],
  checkpoints: [],
  ...claims,
});

const byMember = (assignment: readonly MemberPartitions[]): Record<string, readonly number[]> =>
  Object.fromEntries(assignment.map(({ memberId, partitions }) => [memberId, partitions]));

/** Claims of the members after `assignment`. */
const claimsOf = (assignment: readonly MemberPartitions[], generation: number): MemberClaim[] =>
  assignment.map(({ memberId, partitions }) => claim(memberId, { generation, owned: partitions }));

/** The members later on: each has what it was given, and its standbys have caught up; other checkpoints are as old as they were. */
const followersOf = (assignment: readonly MemberPartitions[], members: readonly MemberClaim[]): MemberClaim[] =>
  assignment.map(({ memberId, partitions, standbys }) => {
    const { checkpoints } = members.find((member) => member.memberId === memberId)!;
    const followed = [...partitions, ...standbys].map((partition) => ({ partition, changelogPosition: 2_000 }));
    return claim(memberId, { generation: 6, owned: partitions, checkpoints: [...checkpoints, ...followed] });
  });

const holderOf = (
  assignment: readonly MemberPartitions[],
  partition: number,
  as: 'partitions' | 'standbys',
): string | undefined => assignment.find((member) => member[as].includes(partition))?.memberId;

const moved = (before: readonly MemberPartitions[], after: readonly MemberPartitions[]): number => {
  const owners = new Map(before.flatMap(({ memberId, partitions }) => partitions.map((p) => [p, memberId] as const)));
  return after.flatMap(({ memberId, partitions }) => partitions.filter((p) => owners.get(p) !== memberId)).length;
};

const groups = fc.record({
  partitionCount: fc.integer({ min: 0, max: 40 }),
  standbys: fc.integer({ min: 0, max: 3 }),
  members: fc.uniqueArray(
    fc.record({
      memberId: fc.string({ minLength: 1, maxLength: 4 }),
      generation: fc.integer({ min: -1, max: 5 }),
      // Beyond the partition count, negative, and twice: members are other processes, perhaps of another version.
      owned: fc.array(fc.integer({ min: -2, max: 45 }), { maxLength: 45 }),
      checkpoints: fc.array(
        fc.record({ partition: fc.integer({ min: -2, max: 45 }), changelogPosition: fc.nat(1000) }),
        { maxLength: 20 },
      ),
    }),
    { minLength: 1, maxLength: 8, selector: ({ memberId }) => memberId },
  ),
});

describe('assign', () => {
  test('every partition exactly once, counts differ by at most one, whatever is claimed (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(groups, ({ members, partitionCount, standbys }) => {
        const assignment = assign(members, partitionCount, standbys);
        const all = assignment.flatMap(({ partitions }) => partitions).sort((a, b) => a - b);
        expect(all).toEqual(Array.from({ length: partitionCount }, (_, partition) => partition));
        const counts = assignment.map(({ partitions }) => partitions.length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('does not depend on the order of the members (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(groups, fc.integer(), ({ members, partitionCount, standbys }, shuffle) => {
        const reordered = [...members].sort(
          (a, b) => ((a.memberId.length * shuffle) % 7) - ((b.memberId.length * shuffle) % 7),
        );
        for (const order of [reordered, [...members].reverse()])
          expect(assign(order, partitionCount, standbys)).toEqual(assign(members, partitionCount, standbys));
      }),
    );
  });

  test('assigning again what was assigned changes nothing (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(groups, ({ members, partitionCount }) => {
        const once = assign(members, partitionCount);
        expect(byMember(assign(claimsOf(once, 6), partitionCount))).toEqual(byMember(once));
      }),
    );
  });

  test('a member that joins or leaves moves no more partitions than balance needs (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(groups, ({ members, partitionCount }) => {
        const before = assign(members, partitionCount);
        const joined = assign([...claimsOf(before, 6), claim('a newcomer')], partitionCount);
        expect(moved(before, joined)).toBe(byMember(joined)['a newcomer']!.length);
        const [leaver, ...rest] = joined;
        if (rest.length === 0) return;
        expect(moved(joined, assign(claimsOf(rest, 7), partitionCount))).toBe(leaver!.partitions.length);
      }),
    );
  });

  test('of two members that claim a partition, the one of the later generation has it', () => {
    const zombie = claim('a', { generation: 3, owned: [0, 1] });
    const owner = claim('b', { generation: 4, owned: [0, 1] });
    const other = claim('c', { generation: 4, owned: [2, 3] });
    expect(byMember(assign([zombie, owner, other], 4))).toEqual({ a: [3], b: [0, 1], c: [2] });
    expect(byMember(assign([zombie, owner], 2))).toMatchObject({ a: [1], b: [0] });
  });

  test('a partition without an owner goes where the checkpoint is freshest', () => {
    const members = [
      claim('a', { checkpoints: [{ partition: 0, changelogPosition: 10 }] }),
      claim('b', { checkpoints: [{ partition: 0, changelogPosition: 11 }] }),
      claim('c', { checkpoints: [{ partition: 1, changelogPosition: 1 }] }),
    ];
    expect(byMember(assign(members, 2))).toEqual({ a: [], b: [0], c: [1] });
  });

  test('an owner keeps its partition though another has a fresher checkpoint', () => {
    const members = [
      claim('a', { generation: 1, owned: [0], checkpoints: [{ partition: 0, changelogPosition: 1 }] }),
      claim('b', { generation: 1, owned: [1], checkpoints: [{ partition: 0, changelogPosition: 9 }] }),
    ];
    expect(byMember(assign(members, 2))).toEqual({ a: [0], b: [1] });
  });

  test('a member that must give up a partition gives up the one the newcomer is nearest to', () => {
    const owner = claim('a', {
      generation: 1,
      owned: [0, 1, 2],
      checkpoints: [0, 1, 2].map((partition) => ({ partition, changelogPosition: 100 })),
    });
    const newcomer = claim('b', {
      checkpoints: [
        { partition: 0, changelogPosition: 20 },
        { partition: 1, changelogPosition: 90 },
      ],
    });
    expect(byMember(assign([owner, newcomer], 3))).toEqual({ a: [0, 2], b: [1] });
  });

  test('standbys: another member than the owner, as many as there are (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(groups, ({ members, partitionCount, standbys }) => {
        const assignment = assign(members, partitionCount, standbys);
        const perPartition = new Array<number>(partitionCount).fill(0);
        for (const member of assignment) {
          expect(member.standbys.filter((partition) => member.partitions.includes(partition))).toEqual([]);
          expect(new Set(member.standbys).size).toBe(member.standbys.length);
          for (const partition of member.standbys) perPartition[partition]! += 1;
        }
        const wanted = Math.min(standbys, members.length - 1);
        expect(new Set(perPartition)).toEqual(new Set(partitionCount === 0 ? [] : [wanted]));
      }),
    );
  });

  test('the first standby of a partition gets it when its owner goes (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(groups, ({ members, partitionCount }) => {
        const before = assign(members, partitionCount, 1);
        const following = followersOf(before, members);
        for (const gone of before) {
          const survivors = following.filter(({ memberId }) => memberId !== gone.memberId);
          if (survivors.length === 0) return;
          const after = assign(survivors, partitionCount, 1);
          for (const partition of gone.partitions)
            expect(holderOf(after, partition, 'partitions')).toBe(holderOf(before, partition, 'standbys'));
          expect(moved(before, after)).toBe(gone.partitions.length);
        }
      }),
    );
  });

  test('standbys that have caught up stay where they are (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(groups, ({ members, partitionCount }) => {
        const once = assign(members, partitionCount, 1);
        expect(assign(followersOf(once, members), partitionCount, 1)).toEqual(once);
      }),
    );
  });

  test('standbys are spread evenly where the partitions are, whatever checkpoints there are (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(groups, fc.integer({ min: 1, max: 6 }), ({ members, standbys }, each) => {
        const assignment = assign(members, members.length * each, standbys);
        const wanted = Math.min(standbys, members.length - 1);
        for (const member of assignment) expect(member.standbys.length).toBeLessThanOrEqual((each + 1) * wanted);
      }),
    );
  });

  test('members that balance makes heirs of every owner take no more than one beyond the mean by their checkpoints', () => {
    const at = (...partitions: number[]) => partitions.map((partition) => ({ partition, changelogPosition: 0 }));
    const others = ['a', 'b', 'c', 'd'].map((memberId) => claim(memberId));
    const e = claim('e', { generation: 0, owned: [0], checkpoints: at(21) });
    const f = claim('f', { generation: 0, owned: [2, 22, 23, 8, 9], checkpoints: at(1, 7, 10, 15, 18, 20, 32) });
    const assignment = assign([...others, e, f], 36, 1);
    for (const { standbys } of assignment) expect(standbys.length).toBeLessThanOrEqual(7);
  });

  test('a standby stays with the member that already follows the changelog', () => {
    const members = [
      claim('a', { generation: 1, owned: [0] }),
      claim('b', { generation: 1, owned: [1] }),
      claim('c', { generation: 1, owned: [2], checkpoints: [{ partition: 0, changelogPosition: 5 }] }),
    ];
    expect(assign(members, 3, 1).find(({ memberId }) => memberId === 'c')!.standbys).toEqual([0]);
  });

  describe('of members that name their racks', () => {
    const racks = fc.array(fc.constantFrom('', 'east', 'west', 'north'), { minLength: 8, maxLength: 8 });
    const inRacks = (members: readonly MemberClaim[], names: readonly string[]): MemberClaim[] =>
      members.map((member, index) => ({ ...member, rack: names[index]! }));
    const rackOf = (members: readonly MemberClaim[], id: string): string =>
      members.find(({ memberId }) => memberId === id)!.rack!;
    const holdersOf = (assignment: readonly MemberPartitions[], partition: number): string[] =>
      assignment.flatMap(({ memberId, standbys }) => (standbys.includes(partition) ? [memberId] : []));

    test('[P4] no standby is alone in its owner’s rack, and there is one wherever another rack is (rerun: the printed seed)', () => {
      fc.assert(
        fc.property(groups, racks, ({ members, partitionCount, standbys }, names) => {
          const all = inRacks(members, names);
          const assignment = assign(all, partitionCount, standbys);
          for (let partition = 0; partition < partitionCount; partition += 1) {
            const owner = holderOf(assignment, partition, 'partitions')!;
            const rack = rackOf(all, owner);
            const isElsewhere = (id: string): boolean => rack === '' || rackOf(all, id) !== rack;
            const holders = holdersOf(assignment, partition);
            expect(holders).not.toContain(owner);
            const others = all.filter(({ memberId }) => memberId !== owner && isElsewhere(memberId));
            const wanted = standbys > 0 && others.length > 0;
            expect(holders.some(isElsewhere)).toBe(wanted);
            expect(holders).toHaveLength(wanted ? Math.min(standbys, members.length - 1) : 0);
          }
        }),
      );
    });

    test('[P4] three copies are in three racks where there are three', () => {
      const members = inRacks(
        ['a', 'b', 'c', 'd'].map((id) => claim(id)),
        ['east', 'east', 'west', 'north'],
      );
      const assignment = assign(members, 8, 2);
      for (let partition = 0; partition < 8; partition += 1) {
        const copies = [holderOf(assignment, partition, 'partitions')!, ...holdersOf(assignment, partition)];
        expect(copies.map((id) => rackOf(members, id)).toSorted()).toEqual(['east', 'north', 'west']);
      }
    });

    test('[P4] when a rack is lost, whoever is left has a standby of each of its partitions (rerun: the printed seed)', () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 4 }),
          fc.integer({ min: 1, max: 4 }),
          fc.integer({ min: 1, max: 40 }),
          (east, west, count) => {
            const ids = Array.from({ length: east + west }, (_, index) => `m${index}`);
            const members = inRacks(
              ids.map((id) => claim(id)),
              ids.map((_, index) => (index < east ? 'east' : 'west')),
            );
            const before = assign(members, count, 1);
            const isLeft = ({ memberId }: { readonly memberId: string }): boolean =>
              rackOf(members, memberId) === 'west';
            const lost = before.filter((each) => !isLeft(each)).flatMap(({ partitions }) => partitions);
            const followed = before.filter(isLeft).flatMap(({ standbys }) => standbys);
            expect(followed.toSorted((a, b) => a - b)).toEqual(lost.toSorted((a, b) => a - b));
          },
        ),
      );
    });

    test('[P4] racks move no partition, and standbys that have caught up settle (rerun: the printed seed)', () => {
      fc.assert(
        fc.property(groups, racks, ({ members, partitionCount }, names) => {
          const all = inRacks(members, names);
          const next = (assignment: readonly MemberPartitions[]): readonly MemberPartitions[] => {
            const later = followersOf(assignment, all);
            return assign(
              later.map((member) => ({ ...member, rack: rackOf(all, member.memberId) })),
              partitionCount,
              1,
            );
          };
          const once = assign(all, partitionCount, 1);
          expect(byMember(once)).toEqual(byMember(assign(members, partitionCount, 1)));
          const settled = next(next(once));
          expect(next(settled)).toEqual(settled);
        }),
      );
    });
  });
});
