// Windows of items through faults and takeovers in the simulated cluster, against a second reading of their rules; and how soon
// they come.
import { describe, expect, test } from '@jest/globals';
import { calm, rough } from '@flatline/cluster';
import { debounceKind, type DebounceRules } from '@flatline/kinds/debounce';
import { type FoldedBatch, foldDebounce } from '@flatline/oracle/debounce';
import type { DebouncedBatch, DebouncedBatchEncoder } from '@flatline/ports/formats';
import {
  DEAD_LETTERS,
  FREQUENT_FLUSHES,
  INPUT,
  OUTPUT,
  type Process,
  World,
  type WorldSettings,
} from './world.fixture.ts';

const KEYS = 6;
const SEEDS = Number(process.env['SEEDS'] ?? 12);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const BATCH_BYTES_MAX = 1_500;
const AROUND_BYTES = 300;
const ITEM_BYTES = 60;
const utf8 = new TextEncoder();
const text = new TextDecoder();

type Said = Omit<FoldedBatch, 'items'> & { readonly items: readonly (readonly [offset: number, value: string])[] };

const shown = ({ items, ...batch }: Omit<DebouncedBatch, 'key'> | FoldedBatch): Said => ({
  ...batch,
  items: items.map(({ offset, value }) => [offset, text.decode(value)]),
});

/** The codecs are another package's. */
const encoder: DebouncedBatchEncoder = {
  batchBytesMax: BATCH_BYTES_MAX,
  weighing: 0,
  aroundBytes: (keyLength) => AROUND_BYTES + keyLength,
  itemBytes: (_bytes, _start, length) => ITEM_BYTES + length,
  encode: ({ key, ...batch }) => {
    const encoded = utf8.encode(JSON.stringify({ key: text.decode(key), ...shown(batch) }));
    if (encoded.length > BATCH_BYTES_MAX) throw new Error(`a batch of ${encoded.length} bytes`);
    return encoded;
  },
};

function rulesOf(changes: Partial<DebounceRules>): DebounceRules {
  const shape = { onOversize: 'flush', reducer: 'all', reduce: undefined, dedupeBy: undefined } as const;
  const rules = { mode: 'trailing', waitMs: 1_000, maxWaitMs: 10_000, ...shape } as const;
  return { ...rules, maxItems: 1_000_000, maxBytes: 1_000_000, maxPartsBytes: 1e8, ...changes };
}

function shapeOf(seed: number): Partial<DebounceRules> {
  const onOversize = seed % 4 === 0 ? 'flush' : 'split';
  if (seed % 5 === 0) return { onOversize, reducer: 'last', dedupeBy: undefined };
  return { onOversize, dedupeBy: seed % 2 === 0 ? 'id' : undefined };
}

function worldOf(rules: DebounceRules, settings: WorldSettings): World {
  const kind = debounceKind({ rules, encoder, outputTopic: OUTPUT });
  return new World({ ...settings, adapt: (ports) => ({ ...ports, kind }) });
}

/** By key, with when it was appended. */
function said(world: World): Readonly<Record<string, { readonly batch: Said; readonly at: number }[]>> {
  const all: Record<string, { batch: Said; at: number }[]> = {};
  for (let partition = 0; partition < world.partitions; partition += 1)
    for (const { key, value, timestamp } of world.simulation.log.committed(OUTPUT, partition)) {
      const { key: named, ...batch } = JSON.parse(text.decode(value ?? undefined)) as Said & { readonly key: string };
      expect(named).toBe(text.decode(key ?? undefined));
      (all[named] ??= []).push({ batch, at: timestamp });
    }
  return all;
}

function folded(world: World, rules: DebounceRules): { said: Readonly<Record<string, Said[]>>; refused: number } {
  const folding = {
    ...rules,
    roomFor: (key: Uint8Array) => BATCH_BYTES_MAX - AROUND_BYTES - key.length,
    sizeOf: (value: Uint8Array) => ITEM_BYTES + value.length,
  };
  const folds = Array.from({ length: world.partitions }, (_, partition) =>
    foldDebounce(world.simulation.log.committed(INPUT, partition), { partition, rules: folding, logAppendTime: true }),
  );
  const batches = folds.flatMap((fold) => [...fold.said].filter(([, each]) => each.length > 0));
  return {
    said: Object.fromEntries(batches.map(([key, each]) => [key, each.map(shown)])),
    refused: folds.reduce((sum, { refused }) => sum + refused.length, 0),
  };
}

function push(world: World, key: string, value: string | null, headers: Readonly<Record<string, string>> = {}): void {
  const sent = Object.entries(headers).map(([name, of]) => ({ name, value: utf8.encode(of) }));
  world.simulation.log.produce(INPUT, world.partitionOf(key), { key, value, headers: sent });
}

/** Bursts of items, now and then a flush, a cancel or a header that is not understood, processes that die; then silence. */
async function storm(world: World, seed: number): Promise<readonly Error[]> {
  const { time, faults } = world.simulation;
  const random = world.simulation.random(`debounce ${seed}`);
  const processes: Process[] = ['a', 'b'].map((name) => world.launch(name));
  await time.runFor(8_000);
  for (let round = 0; round < 120; round += 1) {
    const key = `key-${random.below(KEYS)}`;
    const act = random.below(20);
    if (act === 0) push(world, key, null);
    else if (act === 1) push(world, key, null, { 'flatline-command': 'FLUSH' });
    else if (act === 2) push(world, key, 'x', { 'flatline-wait-ms': 'soon' });
    else
      for (let i = random.below(20); i >= 0; i -= 1) {
        const alike = random.chance(0.3) ? { id: `${random.below(9)}` } : {};
        push(world, key, `${round}.${i}`.padEnd(random.below(200), '-'), alike);
      }
    await time.runFor(random.below(500));
    if (!random.chance(0.04)) continue;
    const at = random.below(processes.length);
    const { name, host } = processes[at]!;
    host.kill();
    await time.runFor(random.below(3_000));
    processes[at] = world.launch(name);
  }
  faults.setRates(calm);
  // Some have died of a fault of their own.
  for (const { name, host } of [...processes]) if (!host.alive) processes.push(world.launch(name));
  await time.runFor(90_000);
  return processes.flatMap(({ failures }) => failures);
}

describe('windows in a cluster that fails', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[B1][B2][B3][B4][O1] seed %i: each item in one batch, all parts in their order, as the rules say (rerun: SEED)',
    async (seed) => {
      const mode = (['trailing', 'window', 'leading'] as const)[seed % 3]!;
      const rules = rulesOf({ mode, waitMs: 2_000, ...shapeOf(seed) });
      const rates = { ...rough, requestCrash: 0.001, writeCrash: 0.002 };
      // A slice of a cut is less than a batch: those of a large window take several turns, in which processes may die.
      const world = worldOf(rules, { seed, rates, bounds: { ...FREQUENT_FLUSHES, cutSliceBytes: 4_000 } });
      world.turnMs = 2;
      const failures = await storm(world, seed);
      const expected = folded(world, rules);
      const found = said(world);
      expect(
        Object.fromEntries(Object.entries(found).map(([key, each]) => [key, each.map(({ batch }) => batch)])),
      ).toEqual(expected.said);
      const letters = Array.from({ length: world.partitions }, (_, p) =>
        world.simulation.log.committed(DEAD_LETTERS, p),
      );
      expect(letters.flat()).toHaveLength(expected.refused);
      expect(failures).toEqual([]);
      const batches = Object.values(expected.said).flat();
      if (rules.onOversize === 'split' && rules.reducer === 'all')
        expect(batches.some(({ part }) => part > 2)).toBe(true);
    },
  );
});

describe('on a quiet partition', () => {
  const APPEND_MS = 15;
  /** tickMs, proofIntervalMs, closeDelayMs of the world, one append round trip, and the way between processes and brokers. */
  const LATE_MAX_MS = 10 + 100 + 20 + APPEND_MS + 10;

  test.each([
    ['trailing', 10],
    ['window', 10],
    ['leading', 10],
    ['trailing', 35],
    ['window', 250],
  ] as const)('[B5] %s of %i ms: what is in a window is exact, and it comes in time', async (mode, waitMs) => {
    const rules = rulesOf({ mode, waitMs, maxWaitMs: 4 * waitMs });
    const world = worldOf(rules, { seed: 7, partitions: 1, commitIntervalMs: 500 });
    const { time, faults } = world.simulation;
    const random = world.simulation.random('quiet');
    faults.slowProduces([APPEND_MS, APPEND_MS]);
    world.launch('a');
    await time.runFor(3_000);
    for (let i = 0; i < 300; i += 1) {
      push(world, `key-${random.below(3)}`, `${i}`);
      // Within a window, on its edge, and after long silence.
      await time.runFor(random.chance(0.3) ? 300 + random.below(700) : random.below(2 * waitMs));
    }
    await time.runFor(5_000);
    const found = said(world);
    expect(
      Object.fromEntries(Object.entries(found).map(([key, each]) => [key, each.map(({ batch }) => batch)])),
    ).toEqual(folded(world, rules).said);
    const late = Object.values(found).flatMap((each) => each.map(({ batch, at }) => at - batch.firedAt));
    expect(late.length).toBeGreaterThan(50);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThanOrEqual(LATE_MAX_MS);
  });
});
