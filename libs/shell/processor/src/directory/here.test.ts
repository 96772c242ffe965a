import { expect, test } from '@jest/globals';
import { partitionOf } from '@flatline/base';
import { ManualClock } from '@flatline/base/manual-clock';
import type { LookUp } from '@flatline/runtime';
import { Here, type LookedPipeline } from './here.ts';
import { ANSWER_WITHIN_MS } from './waits.ts';

const FOUND: LookUp = { kind: 'found', entries: [], asOf: { clock: 1, position: 1 }, from: 'owner' };
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => Buffer.from(text));
const SLOW_PARTITION = partitionOf(KEYS[0]!, 2);

/** Two partitions, one of which has a commit that does not come through. */
const pipeline: LookedPipeline = {
  name: 'visits',
  kind: 'session',
  group: 'g',
  inputPartitions: 2,
  isKeyed: true,
  instances: [],
  show: () => [],
  lookAtOnce: (partition) => (partition === SLOW_PARTITION ? undefined : FOUND),
  lookUp: (_partition, _key, { abandon }) =>
    new Promise((resolve) => {
      abandon.addEventListener('abort', () => {
        resolve({ kind: 'moving', detail: 'given up' });
      });
    }),
};

async function statesOf(asking: { readonly isForwarded?: boolean; readonly isNow?: boolean }, afterMs: number) {
  const clock = new ManualClock();
  const answering = Promise.resolve(
    new Here('a', clock).answer(pipeline, { pipeline: 'visits', keys: KEYS, isNow: false, ...asking }),
  );
  let kinds: readonly string[] | undefined;
  void answering.then(({ answers }) => {
    kinds = answers.map(({ kind }) => kind);
  });
  clock.advance(afterMs);
  for (let i = 0; i < 50; i += 1) await Promise.resolve();
  return kinds;
}

const EXPECTED = KEYS.map((key) => (partitionOf(key, 2) === SLOW_PARTITION ? 'restoring' : 'found'));

test('[Q1] what another instance asks for is answered before it gives up, but for the keys whose commit is slow', async () => {
  expect(new Set(EXPECTED).size).toBe(2);
  expect(await statesOf({ isForwarded: true }, ANSWER_WITHIN_MS - 1)).toEqual(EXPECTED);
});

test('[Q2] who asks here, or for what is proved, has more patience', async () => {
  for (const asking of [{}, { isForwarded: true, isNow: true }]) {
    expect(await statesOf(asking, ANSWER_WITHIN_MS)).toBeUndefined();
    expect(await statesOf(asking, 2_000)).toEqual(EXPECTED);
  }
});
