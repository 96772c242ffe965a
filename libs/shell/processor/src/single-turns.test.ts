import { describe, expect, test } from '@jest/globals';
import { singleTurns } from './single-turns.ts';

/** Rounds of an event loop in which everything queued before it runs. */
function rounds() {
  let queued: (() => void)[] = [];
  const said: string[][] = [];
  const turns = singleTurns((callback) => queued.push(callback));
  const say = (what: string) => (): void => void said.at(-1)!.push(what);
  const run = (): string[][] => {
    while (queued.length > 0) {
      const now = queued;
      queued = [];
      said.push([]);
      for (const callback of now) callback();
    }
    return said;
  };
  return { turns, say, run };
}

describe('singleTurns', () => {
  test('one callback a round, in order', () => {
    const { turns, say, run } = rounds();
    for (const what of ['a', 'b', 'c']) turns(say(what));
    expect(run()).toEqual([['a'], ['b'], ['c']]);
  });

  test('a callback queued during a turn comes after those that wait', () => {
    const { turns, say, run } = rounds();
    turns(() => {
      say('a')();
      turns(say('a again'));
    });
    turns(say('b'));
    expect(run()).toEqual([['a'], ['b'], ['a again']]);
  });

  test('the last one asks again', () => {
    const { turns, say, run } = rounds();
    turns(() => {
      turns(say('again'));
    });
    expect(run()).toEqual([[], ['again']]);
  });

  test('a callback that throws keeps no other from the next round', () => {
    const { turns, say, run } = rounds();
    turns(() => {
      throw new Error('broken');
    });
    turns(say('b'));
    expect(run).toThrow('broken');
    expect(run()).toEqual([[], ['b']]);
  });
});
