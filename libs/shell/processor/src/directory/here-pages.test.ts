import { expect, test } from '@jest/globals';
import { ManualClock } from '@flatline/base/manual-clock';
import type { EntryPage } from '@flatline/runtime';
import { HerePages } from './here-pages.ts';

const FOUND: EntryPage = {
  kind: 'found',
  rows: [],
  nextSlot: undefined,
  bytes: 0,
  asOf: { clock: 1, position: 1 },
  outputEnd: 1,
};
const ASKING = { pipeline: 'visits', partition: 0, prefix: new Uint8Array(0), fromSlot: 0, entriesMax: 500 };

const settle = async (): Promise<void> => {
  for (let i = 0; i < 50; i += 1) await Promise.resolve();
};

test('[Q3] pages that were given up take no time of those that are waited for', async () => {
  const clock = new ManualClock();
  const pages = new HerePages(clock);
  const looks: (() => void)[] = [];
  const pipeline = {
    name: 'visits',
    kind: 'session' as const,
    group: 'g',
    instances: [],
    show: () => [],
    page: () =>
      new Promise<EntryPage>((resolve) =>
        looks.push(() => {
          resolve(FOUND);
        }),
      ),
  };
  const page = async (): Promise<string> => (await pages.page(pipeline, ASKING)).page.kind;
  const early = [page(), page(), page()];
  await settle();
  expect(looks).toHaveLength(1);
  // Whoever asked has asked again by then.
  clock.advance(2_000);
  const kinds: string[] = [];
  void page().then((kind) => kinds.push(kind));
  looks[0]!();
  await settle();
  // The next look is the one of whoever waits.
  looks[1]!();
  await settle();
  expect(kinds).toEqual(['found']);
  expect(await Promise.all(early)).toEqual(['found', 'restoring', 'restoring']);
});
