import { expect, test } from '@jest/globals';
import { checkInputs } from './check-inputs.ts';

const of = (topic: string) => {
  const stamps = { timestampType: 'LogAppendTime', maxFutureMs: 1, maxLeadMs: 1, liveWithinMs: 1 } as const;
  const reads = { format: 'auto', partitioner: 'murmur2', maxKeyBytes: 512 } as const;
  return { topic, ...stamps, ...reads, touches: true, unknownKey: 'open', holdMs: 1 } as const;
};

test('[S8] inputs of one pipeline with other partition counts are refused, both named', () => {
  const topics = new Map([
    ['beats', { partitions: 4 }],
    ['users', { partitions: 1 }],
    ['more', { partitions: 4 }],
  ]);
  const check = (...names: string[]) => {
    checkInputs({ name: 'visits', inputs: names.map(of) }, topics);
  };
  expect(() => {
    check('beats', 'more', 'users');
  }).toThrow(/^pipeline visits: beats has 4 partitions, users has 1 partition\. /);
  check('beats', 'more');
  checkInputs({ name: 'visits' }, topics);
});
