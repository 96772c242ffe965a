import { describe, expect, test } from '@jest/globals';
import { Fatal, PartitionStopped } from '@flatline/base';
import { RecordFailed } from '@flatline/partition';
import { type FailureVerdict, verdictOn } from './failure-verdict.ts';
import type { RecordVerdict } from './record-failures.ts';

const PLACE = { topic: 'in', partition: 3, position: 40 };

function verdict(error: unknown, next?: RecordVerdict): FailureVerdict {
  const judge = (): RecordVerdict => {
    if (next === undefined) throw new Error('no record is to blame');
    return next;
  };
  return verdictOn(error, PLACE, judge);
}

describe('[I6] what a task does about an error', () => {
  test('[I6][R3] an order to stop is followed, with its own message', () => {
    const why = 'the input is another log';
    expect(verdict(new PartitionStopped(why))).toEqual({
      kind: 'stop',
      why,
      isMendable: false,
      message: 'partition stopped',
      facts: { why },
    });
  });

  test('[I6] an error of the whole process is passed on', () => {
    const error = new Fatal('the credentials are refused');
    expect(verdict(error)).toMatchObject({ kind: 'endProcess', error, facts: { error } });
  });

  test.each(['restore', 'refuse'] as const)('[I6] a record to be judged by «%s» has the task restored', (next) => {
    const error = new RecordFailed(41, new TypeError('x is undefined'));
    expect(verdict(error, next)).toMatchObject({
      kind: 'restore',
      why: `in/3 at offset 41: ${error.message}; restoring to try again`,
      facts: { ...PLACE, offset: 41, next, error, stack: error.stack },
    });
  });

  test('[I6] too many failures at records stop the partition, and the message says what to do', () => {
    const stopped = verdict(new RecordFailed(41, new Error('again')), 'stop');
    expect(stopped).toMatchObject({ kind: 'stop', message: 'task failed', facts: { next: 'stop' } });
    expect(stopped).toHaveProperty('why', expect.stringMatching(/^in\/3 at offset 41: .*partitions restart/));
  });

  test.each([
    ['an error', new TypeError('x is undefined'), 'in/3 at position 40: TypeError: x is undefined. '],
    ['something else', 'out of luck', 'in/3 at position 40: out of luck. '],
  ])('[I6] %s that names no record stops the partition where it has come to', (_name, error, begin) => {
    expect(verdict(error)).toHaveProperty('why', expect.stringContaining(begin));
    expect(verdict(error)).toMatchObject({ kind: 'stop', facts: { offset: undefined, next: 'stop' } });
  });

  test('[I6] a failure before there is any state says so', () => {
    const failed = verdictOn(new Error('early'), { ...PLACE, position: undefined }, () => 'stop');
    expect(failed).toHaveProperty('why', expect.stringMatching(/^in\/3 at position unknown: early\./));
  });
});
