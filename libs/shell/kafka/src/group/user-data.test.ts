import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeLeaderStatement,
  decodeMemberStatement,
  encodeLeaderStatement,
  encodeMemberStatement,
  NOTHING_SAID,
} from './user-data.ts';

const partition = fc.nat(100_000);
const partitions = fc.array(partition);
const memberStatement = fc.record({
  generation: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
  owned: partitions,
  checkpoints: fc.array(fc.record({ partition, changelogPosition: fc.maxSafeNat() })),
  endpoint: fc.string({ unit: 'grapheme' }),
  name: fc.string({ unit: 'grapheme' }),
  rack: fc.string({ unit: 'grapheme' }),
});
const leaderStatement = fc.record({
  partitionCount: partition,
  standbys: partitions,
  instances: fc.array(fc.record({ endpoint: fc.webUrl(), name: fc.string(), partitions, standbys: partitions })),
});

describe('user data of the group', () => {
  test('what members and leaders say is what is read (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(memberStatement, leaderStatement, (member, leader) => {
        expect(decodeMemberStatement(encodeMemberStatement(member))).toEqual(member);
        expect(decodeLeaderStatement(encodeLeaderStatement(leader))).toEqual(leader);
      }),
    );
  });

  test('fields appended by a later version are passed over', () => {
    const bytes = encodeMemberStatement({ ...NOTHING_SAID, owned: [3] });
    expect(decodeMemberStatement(Buffer.concat([bytes, Buffer.from('more')])).owned).toEqual([3]);
  });

  test('fields that an earlier version did not have are empty', () => {
    const said = { ...NOTHING_SAID, owned: [3], endpoint: 'http://a' };
    for (const missing of [1, 2])
      expect(decodeMemberStatement(encodeMemberStatement(said).subarray(0, -missing))).toEqual(said);
    const instances = [{ endpoint: 'http://a', name: '', partitions: [3], standbys: [4] }];
    const told = { partitionCount: 5, standbys: [4], instances };
    expect(decodeLeaderStatement(encodeLeaderStatement(told).subarray(0, -1))).toEqual(told);
  });

  test('an unknown version, no bytes, and any other bytes say nothing, and throw nothing (rerun: the printed seed)', () => {
    const later = encodeMemberStatement({ ...NOTHING_SAID, owned: [3] });
    later[0] = 2;
    expect(decodeMemberStatement(later)).toEqual(NOTHING_SAID);
    expect(decodeMemberStatement(null)).toEqual(NOTHING_SAID);
    expect(decodeLeaderStatement(null)).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        decodeMemberStatement(bytes);
        decodeLeaderStatement(bytes);
      }),
    );
  });
});
