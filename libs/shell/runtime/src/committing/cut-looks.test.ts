import { expect, test } from '@jest/globals';
import { CutLooks } from './cut-looks.ts';
import { OutputEnd } from './output-end.ts';

test('[Q3] whoever gives up is not kept by a leader that does not say where the outputs end', async () => {
  const outputEnd = new OutputEnd(() => new Promise(() => undefined));
  const looks = new CutLooks({ outputEnd, state: () => 'rest', onAwaited: () => undefined });
  const abandon = new AbortController();
  let outcome: unknown = 'waits';
  void looks
    .take(() => 1, abandon.signal)
    .then((taken) => {
      outcome = taken;
    });
  abandon.abort();
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
  expect(outcome).toBeUndefined();
});

test('[Q3] a leader is asked once for all who wait for the end of the outputs', async () => {
  let asked = 0;
  const outputEnd = new OutputEnd(async () => {
    asked += 1;
    await Promise.resolve();
    return 7;
  });
  const looks = new CutLooks({ outputEnd, state: () => 'rest', onAwaited: () => undefined });
  const { signal } = new AbortController();
  const taken = await Promise.all(Array.from({ length: 100 }, (_, i) => looks.take(() => i, signal)));
  expect(taken.map((each) => each?.outputEnd)).toEqual(Array.from({ length: 100 }, () => 7));
  expect(asked).toBe(1);
});
