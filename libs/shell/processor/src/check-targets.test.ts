import { expect, test } from '@jest/globals';
import { Misconfigured } from '@flatline/base';
import { resolveConfiguration } from '@flatline/config';
import type { TopicDescription } from '@flatline/kafka';
import { checkTargets } from './check-targets.ts';

const [later] = resolveConfiguration(
  {
    application: 'shop',
    brokers: ['b:1'],
    pipelines: [
      {
        name: 'later',
        kind: 'schedule',
        targets: ['mail', 'push'],
        input: { topic: 'to-schedule' },
        output: { topic: 'due' },
      },
    ],
  },
  { source: 'test', folder: '/', environment: {} },
).pipelines;

test.each([
  [{ mail: 8, push: 8 }, undefined],
  [{ mail: 8 }, /^pipeline later: target push does not exist.*create it, or take it from targets/],
  [{ mail: 3, push: 8 }, /^pipeline later: target mail has 3 partitions, and the input to-schedule 8:/],
  [{ mail: 9, push: 8 }, /^pipeline later: target mail has 9 partitions/],
])('[D1][I4] targets are checked at start: there, with as many partitions as the input: %j', (targets, problem) => {
  const topics = Object.entries({ 'to-schedule': 8, ...targets }).map(
    ([topic, partitions]) => [topic, { topic, partitions } as TopicDescription] as const,
  );
  const check = (): void => {
    checkTargets(later!, new Map(topics));
  };
  if (problem === undefined) expect(check).not.toThrow();
  else {
    expect(check).toThrow(Misconfigured);
    expect(check).toThrow(problem);
  }
});
