import { describe, expect, test } from '@jest/globals';
import { MalformedBytes } from '@flatline/base';
import kafkajs from 'kafkajs';
import { decodeAssignment, decodeSubscription, encodeAssignment, encodeSubscription } from './consumer-protocol.ts';

const { MemberMetadata, MemberAssignment } = kafkajs.AssignerProtocol;
const userData = Buffer.from([1, 2, 3]);

describe('consumer protocol', () => {
  test('a subscription is the bytes other clients write, and theirs is read', () => {
    const bytes = encodeSubscription({ topics: ['visits', 'käse'], userData });
    expect(bytes).toEqual(MemberMetadata.encode({ version: 0, topics: ['visits', 'käse'], userData }));
    expect(decodeSubscription(bytes)).toEqual({ topics: ['visits', 'käse'], userData });
  });

  test('an assignment is the bytes other clients write, and theirs is read [kafkajs 11]', () => {
    const bytes = encodeAssignment({ topics: ['a', 'b'], partitions: [0, 5], userData });
    const assignment = { a: [0, 5], b: [0, 5] };
    expect(bytes).toEqual(MemberAssignment.encode({ version: 0, assignment, userData }));
    expect(decodeAssignment(bytes)).toEqual({ topics: ['a', 'b'], partitions: [0, 5], userData });
  });

  test('a member the leader did not know of is assigned nothing', () => {
    expect(decodeAssignment(Buffer.alloc(0))).toEqual({ topics: [], partitions: [], userData: null });
  });

  test('different partitions of co-partitioned topics are refused, and so are broken bytes', () => {
    const bytes = MemberAssignment.encode({ version: 0, assignment: { a: [0], b: [1] }, userData });
    expect(() => decodeAssignment(bytes)).toThrow(MalformedBytes);
    expect(() => decodeAssignment(Buffer.from([0, 0, 0]))).toThrow(MalformedBytes);
    expect(() => decodeSubscription(Buffer.from([0]))).toThrow(MalformedBytes);
  });
});
