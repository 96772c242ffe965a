import { describe, expect, test } from '@jest/globals';
import { Fatal, Retriable } from '@flatline/base';
import { errorOfCode } from '../connection/index.ts';
import { stepAfter } from './group-step.ts';

/** Total over what a coordinator answers to JoinGroup, SyncGroup, Heartbeat and LeaveGroup. */
const answers: readonly (readonly [string, number, string])[] = [
  ['COORDINATOR_LOAD_IN_PROGRESS', 14, 'wait'],
  ['COORDINATOR_NOT_AVAILABLE', 15, 'findCoordinator'],
  ['NOT_COORDINATOR', 16, 'findCoordinator'],
  ['REQUEST_TIMED_OUT', 7, 'findCoordinator'],
  ['ILLEGAL_GENERATION', 22, 'rejoin'],
  ['REBALANCE_IN_PROGRESS', 27, 'rejoin'],
  ['UNKNOWN_MEMBER_ID', 25, 'rejoinAsNew'],
  ['FENCED_INSTANCE_ID', 82, 'replaced'],
  ['INCONSISTENT_GROUP_PROTOCOL', 23, 'fail'],
  ['INVALID_GROUP_ID', 24, 'fail'],
  ['INVALID_SESSION_TIMEOUT', 26, 'fail'],
  ['GROUP_AUTHORIZATION_FAILED', 30, 'fail'],
  ['GROUP_MAX_SIZE_REACHED', 81, 'fail'],
  ['UNKNOWN_SERVER_ERROR', -1, 'findCoordinator'],
];

describe('stepAfter', () => {
  test.each(answers)('%s (%i): %s', (_, code, step) => {
    expect(stepAfter(errorOfCode(code, 'test')).kind).toBe(step);
  });

  test('only a generation that has passed takes the assignment away; a rebalance does not', () => {
    expect(stepAfter(errorOfCode(22, 'test'))).toEqual({ kind: 'rejoin', lost: true });
    expect(stepAfter(errorOfCode(27, 'test'))).toEqual({ kind: 'rejoin', lost: false });
  });

  test('a broken connection: ask for the coordinator; anything else ends the membership', () => {
    expect(stepAfter(new Retriable('connection lost')).kind).toBe('findCoordinator');
    expect(stepAfter(new Fatal('no such user')).kind).toBe('fail');
    expect(stepAfter(new TypeError('a mistake of ours')).kind).toBe('fail');
  });
});
