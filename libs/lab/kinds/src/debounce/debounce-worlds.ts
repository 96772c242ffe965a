// Worlds of windows by seed.
import type { Random } from '@flatline/base';
import { fewKeys, type KindWorlds, type WorldSubject } from '../worlds/kind-worlds.ts';
import { oneOf } from '../worlds/one-of.ts';
import { type DebounceSubject, SimulatedWindows } from './simulated-windows.ts';

/** Room for some items, and for one: so most windows that come in parts have several. */
const FEW_BYTES = 900;
const ONE_ITEM_BYTES = 720;

export const debounceWorlds: KindWorlds<'debounce'> = {
  share: 10,
  reach: ['byFetch', 'LEADING', 'QUIET', 'WINDOW', 'MAX_WAIT', 'MAX_ITEMS', 'MAX_BYTES', 'FLUSHED', 'CANCELLED'],
  startAt: () => undefined,
  draw: (random) => windowsBy(drawRules(random)),
};

function windowsBy(rules: DebounceSubject, isChanged = false): WorldSubject<'debounce'> {
  return {
    kind: 'debounce',
    rules,
    maxDuePerSecond: undefined,
    fit: (world) => ({ keys: fewKeys(world), heldTime: undefined }),
    mayChange: () => true,
    // The open windows must fit the batches of the changed rules.
    changed: (random) => windowsBy({ ...drawRules(random), batchBytesMax: rules.batchBytesMax }, true),
    simulate: (simulation, scenario) => new SimulatedWindows(simulation, rules, scenario, isChanged),
  };
}

function drawRules(random: Random): DebounceSubject {
  const waitMs = oneOf(random, [50, 500, 1_000, 3_000]);
  const drawn = {
    mode: oneOf(random, ['trailing', 'trailing', 'window', 'leading'] as const),
    waitMs,
    maxWaitMs: oneOf(random, [0, 2 * waitMs, 10 * waitMs]),
    maxItems: oneOf(random, [1, 3, 1_000_000, 1_000_000]),
    maxBytes: oneOf(random, [60, 1_000_000, 1_000_000]),
    onOversize: oneOf(random, ['flush', 'split'] as const),
    batchBytesMax: oneOf(random, [FEW_BYTES, 1_000_000]),
    maxPartsBytes: 100_000_000,
    reducer: oneOf(random, ['all', 'all', 'first', 'last', 'count'] as const),
    reduce: undefined,
    dedupeBy: undefined,
  } as const;
  const isInParts = drawn.onOversize === 'split' && drawn.batchBytesMax === FEW_BYTES;
  return isInParts ? { ...drawn, batchBytesMax: ONE_ITEM_BYTES } : drawn;
}
