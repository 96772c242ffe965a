// Pages of entries and the outputs that follow them, judged by the whole output: through kills, lost answers and rebalances, what
// has closed below the end that a page names is not on it, and what closes from there on is.
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { calm, rough } from '@flatline/cluster';
import { sessionView } from '@flatline/kinds/session';
import type { EntryPage } from '../look-up.ts';
import { OUTPUT, type Process, World } from '../world.fixture.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 12);
const SEED = Number(process.env['SEED'] ?? 1);
const KEYS = Array.from({ length: 12 }, (_, i) => `k${i}`);
const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder();
const NEVER = new AbortController().signal;
const ALL = { prefix: utf8.encode('k'), fromSlot: 0, slotsMax: 1e6, entriesMax: 1e6, bytesMax: 1e9 };

interface Asked {
  readonly partition: number;
  /** undefined: the list of all. */
  readonly key: string | undefined;
  readonly page: EntryPage;
}

interface Close {
  readonly offset: number;
  readonly key: string;
  readonly incarnation: string;
}

function closesOf(world: World, partition: number): readonly Close[] {
  return world.simulation.log.committed(OUTPUT, partition).flatMap(({ offset, value }) => {
    if (value === null) return [];
    const [key = '', incarnation = ''] = utf8Reader.decode(value).split(' ');
    return [{ offset, key, incarnation }];
  });
}

/** Lists the faults of a page, in words. */
function faultsOf({ partition, key, page }: Asked, closes: readonly Close[]): readonly string[] {
  if (page.kind !== 'found') return [];
  const { rows, asOf, outputEnd } = page;
  const shown = new Set(rows.flatMap(({ entries }) => entries.map(({ incarnation }) => String(incarnation))));
  const faults: string[] = [];
  for (const close of closes) {
    if (key !== undefined && close.key !== key) continue;
    const isLater = Number(close.incarnation.split('-')[1]) >= asOf.position;
    const follows = close.offset >= outputEnd;
    if (shown.has(close.incarnation) !== (follows && !isLater))
      faults.push(`${close.incarnation} of partition ${partition}: shown ${!follows}, closed at ${close.offset}`);
    if (isLater && !follows) faults.push(`${close.incarnation} is later than the page, and closed below its end`);
    shown.delete(close.incarnation);
  }
  return faults;
}

describe('pages of entries', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => SEED + i))(
    '[Q3] seed %i: what a page shows and the outputs from its end on are each session once (rerun: SEED)',
    async (seed) => {
      const world = new World({ seed, timeoutMs: 3_000, standbys: 1, rates: rough });
      const random = seededRandom(seed);
      const { time } = world.simulation;
      const view = sessionView(world.rules);
      const processes: Process[] = ['a', 'b'].map((name) => world.launch(name));
      const pages: Asked[] = [];
      const ask = (): void => {
        const name = KEYS[random.below(KEYS.length)]!;
        const partition = world.partitionOf(name);
        const key = random.chance(0.3) ? name : undefined;
        const asked = key === undefined ? ALL : utf8.encode(key);
        for (const { instance, host } of processes)
          if (host.alive)
            void instance
              .page(partition, { asked, show: (entry, place) => view.shown(entry as never, place), abandon: NEVER })
              .then((page) => pages.push({ partition, key, page }));
      };
      await time.runFor(6_000);
      for (let deed = 0; deed < 300; deed += 1) {
        const key = KEYS[random.below(KEYS.length)]!;
        if (random.chance(0.1)) world.end(key);
        else world.beat(key);
        if (random.chance(0.5)) ask();
        await time.runFor(random.below(400));
        if (!random.chance(0.02)) continue;
        const at = random.below(processes.length);
        processes[at]!.host.kill();
        await time.runFor(random.below(2_000));
        processes[at] = world.launch(processes[at]!.name);
      }
      const foundIn = (asked: readonly Asked[]) => asked.flatMap(({ page }) => (page.kind === 'found' ? [page] : []));
      const foundInStorm = foundIn(pages).length;
      // Where faults have kept nearly all of them from being answered, those of the calm are.
      world.simulation.faults.setRates(calm);
      await time.runFor(60_000);
      for (let deed = 0; deed < 20; deed += 1) {
        for (const key of KEYS) world.beat(key);
        ask();
        await time.runFor(random.below(400));
      }
      // Everything closes, so that each session that was shown has an output.
      await time.runFor(60_000);
      const closes = Array.from({ length: world.partitions }, (_, partition) => closesOf(world, partition));
      expect(pages.flatMap((asked) => faultsOf(asked, closes[asked.partition]!))).toEqual([]);
      const found = foundIn(pages);
      expect(foundInStorm).toBeGreaterThan(0);
      expect(found.length).toBeGreaterThan(10);
      expect(found.some(({ rows }) => rows.length > 1)).toBe(true);
    },
  );
});
