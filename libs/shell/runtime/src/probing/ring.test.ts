import { describe, expect, test } from '@jest/globals';
import { lookedAfterBy } from './ring.ts';

const NAMES = ['c', 'a', 'd', 'b'];
const heard = (): boolean => false;

describe('the ring of instances', () => {
  test('[Q5] each looks after the next by name, the last after the first, and each is looked after', () => {
    expect(['a', 'b', 'c', 'd'].map((self) => lookedAfterBy(self, NAMES, heard))).toEqual([['b'], ['c'], ['d'], ['a']]);
  });

  test('[Q5] behind a silent one the next is looked after, too: its watcher says nothing', () => {
    const silent = new Set(['b', 'c']);
    expect(lookedAfterBy('a', NAMES, (name) => silent.has(name))).toEqual(['b', 'c', 'd']);
    expect(lookedAfterBy('a', NAMES, () => true)).toEqual(['b', 'c', 'd']);
  });

  test('[Q5] one that is alone looks after none, one that is in no ring after all', () => {
    expect(lookedAfterBy('a', ['a'], heard)).toEqual([]);
    expect(lookedAfterBy('e', NAMES, heard)).toEqual(['a', 'b', 'c', 'd']);
  });
});
