import { expect, test } from '@jest/globals';
import { type CpuProfile, flameGraph } from './flame-graph.ts';

const frame = (id: number, functionName: string, url: string, children: readonly number[] = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
  children,
});
const profile: CpuProfile = {
  nodes: [
    frame(1, '(root)', '', [2, 3, 4, 6]),
    frame(2, '(idle)', ''),
    frame(3, 'step', 'file:///somewhere/libs/core/partition/src/partition-task.ts', [5]),
    frame(4, '(garbage collector)', ''),
    frame(5, 'a<b', 'file:///somewhere/node_modules/lmdb/write.js'),
    frame(6, 'step', 'file:///somewhere/libs/core/partition/src/partition-task.ts'),
  ],
  samples: [2, 3, 5, 5, 4, 6],
  timeDeltas: [900, 100, 100, 200, 100, 100],
};

test('frames are as wide as the time below them, idle time left out, the same function in one frame', () => {
  const svg = flameGraph('a & b', profile);
  const shown = [...svg.matchAll(/<g><title>(.*?)<\/title><rect x="([\d.]+)" y="(\d+)" width="([\d.]+)"/g)].map(
    ([, about, x, y, width]) => [about, Number(x), Number(y), Number(width)],
  );
  expect(shown).toEqual([
    ['(root) 100.0 %', 0, 30, 1199.6],
    ['step (libs/core/partition/src/partition-task.ts:10) 83.3 %', 0, 47, 999.6],
    ['a&lt;b (lmdb/write.js:10) 50.0 %', 0, 64, 599.6],
    ['(garbage collector) 16.7 %', 1000, 47, 199.6],
  ]);
  expect(svg).toContain('<title>a &amp; b</title>');
  expect(svg).not.toContain('somewhere');
});
