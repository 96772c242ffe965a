import { describe, expect, test } from '@jest/globals';
import { takeTurns } from './turns.ts';

const quiet = { repeats: 3, onProgress: () => undefined };

describe('turns', () => {
  test('each measures everything once, and another begins', async () => {
    const order: string[] = [];
    const cells = ['a', 'b'].map((name) => ({
      name,
      take: (repeat: number) => Promise.resolve(order.push(`${name}${repeat}`)),
    }));
    const { turns } = await takeTurns(cells, quiet);
    expect(order).toEqual(['a0', 'b0', 'b1', 'a1', 'a2', 'b2']);
    expect(turns).toEqual([
      [1, 4, 5],
      [2, 3, 6],
    ]);
  });

  test('are preceded by one that is not counted, where the broker has to be warm, of all that share it', async () => {
    const order: string[] = [];
    const cells = ['a', 'b', 'c'].map((name) => ({
      name,
      hasOwnServer: name === 'b',
      take: (repeat: number) => Promise.resolve(order.push(`${name}${repeat}`)),
    }));
    const said: string[] = [];
    const loud = { repeats: 1, warmsUp: true, onProgress: (what: string) => said.push(what) };
    const { turns } = await takeTurns(cells, loud);
    expect(order).toEqual(['a-1', 'c-1', 'a0', 'b0', 'c0']);
    expect(turns).toEqual([[3], [4], [5]]);
    expect(said.slice(0, 3)).toEqual(['a, warming up', 'c, warming up', 'a, 1 of 1']);
  });

  test('a peer that fails while the broker is warmed is not tried again', async () => {
    const peer = { name: 'peer', isPeer: true, take: () => Promise.reject(new Error('no')) };
    const taken = await takeTurns([peer], { ...quiet, warmsUp: true });
    expect(taken).toEqual({ turns: [[]], failures: ['peer: it failed: no'] });
  });

  test('a peer that fails is left out, with what it had measured before', async () => {
    const peer = (repeat: number): Promise<string> =>
      repeat === 1 ? Promise.reject(new Error('out of memory\nat line 7')) : Promise.resolve('ok');
    const cells = [
      { name: 'ours', take: () => Promise.resolve('ok') },
      { name: 'peer', isPeer: true, take: peer },
    ];
    const { turns, failures } = await takeTurns(cells, quiet);
    expect(turns).toEqual([['ok', 'ok', 'ok'], []]);
    expect(failures).toEqual(['peer: it failed: out of memory']);
  });

  test('a failure of our own ends the benchmark', async () => {
    const cells = [{ name: 'ours', take: () => Promise.reject(new Error('stalled')) }];
    await expect(takeTurns(cells, quiet)).rejects.toThrow('stalled');
  });
});
