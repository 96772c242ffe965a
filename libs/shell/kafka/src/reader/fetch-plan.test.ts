import { describe, expect, test } from '@jest/globals';
import { type LaneState, planFetches } from './fetch-plan.ts';

const limits = { pollMs: 100, shortPollMs: 10 };
const more = { name: 'more', behind: true, servedTurn: 5 };
const end = { name: 'end', behind: false, servedTurn: 1 };

type Planned = readonly (readonly [lane: string, waitMs: number, names: string])[];

function plan(lanes: LaneState, ...idle: readonly (typeof more)[]): Planned {
  return planFetches(idle, lanes, limits).map(({ lane, waitMs, partitions }) => [
    lane,
    waitMs,
    partitions.map(({ name }) => name).join(' '),
  ]);
}

describe('planFetches, the whole table', () => {
  test.each<[LaneState['waiting'], LaneState['prompt'], Planned]>([
    [
      'free',
      'free',
      [
        ['waiting', 100, 'end'],
        ['prompt', 0, 'more'],
      ],
    ],
    ['free', 'behind', [['waiting', 100, 'end']]],
    ['free', 'shortPoll', [['waiting', 10, 'end']]],
    ['shortPoll', 'free', [['prompt', 0, 'more']]],
    ['shortPoll', 'behind', []],
    ['shortPoll', 'shortPoll', []],
    ['poll', 'free', [['prompt', 0, 'more end']]],
    ['poll', 'behind', []],
    ['poll', 'shortPoll', []],
  ])('waiting lane %s, prompt lane %s', (waiting, prompt, expected) => {
    expect(plan({ waiting, prompt }, more, end)).toEqual(expected);
  });

  test('a partition that reached its end beside a poll polls briefly, until it can join', () => {
    expect(plan({ waiting: 'poll', prompt: 'free' }, end)).toEqual([['prompt', 10, 'end']]);
    expect(plan({ waiting: 'shortPoll', prompt: 'free' }, end)).toEqual([]);
  });

  test('nothing idle, nothing sent', () => {
    expect(plan({ waiting: 'free', prompt: 'free' })).toEqual([]);
  });

  test('those served longest ago go first', () => {
    const idle = [3, 1, 2].map((servedTurn) => ({ name: String(servedTurn), behind: true, servedTurn }));
    expect(plan({ waiting: 'free', prompt: 'free' }, ...idle)).toEqual([['prompt', 0, '1 2 3']]);
  });
});
