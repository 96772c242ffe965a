// Runs the simulation on products with one deliberate fault each: one that it misses is a kind of fault it cannot see.
import type { KindName } from '@flatline/base';
import { recordCaughtBy, SEED_THAT_CAUGHT } from './mutants/caught-by.ts';
import { MUTANTS } from './mutants/index.ts';
import type { HuntedMutant } from './mutants/mutant.ts';
import { runPool } from './pool.ts';
import { REGRESSION_SEEDS } from './regression-seeds.ts';
import type { SeedResult, WorldName } from './tally.ts';

/** Number of seeds after which a mutant counts as surviving. */
const SEEDS_MAX = 400;
/** Worlds of mutants take no longer than others; one that does ends its hunt. */
const WORLD_ENDS_WITHIN_MS = 60_000;
const TEXT_MAX = 110;
const NAME_WIDTH = 42;

interface HuntOptions {
  readonly workers: number;
  /** Hunts only mutants of worlds of this kind, or make; undefined: all. */
  readonly kind: KindName | undefined;
  readonly world: WorldName | undefined;
  /** Every `of`th of these, from the `index`th on, which counts from 1. */
  readonly part: { readonly index: number; readonly of: number };
  /** Has the next hunt begin each with the seed that caught it in this one. */
  readonly records: boolean;
}

/** Hunts as many mutants at a time as there are workers, and prints what caught each. Returns how many survived. */
export async function huntMutants({ workers, kind, world, part, records }: HuntOptions): Promise<number> {
  const hunted = MUTANTS.filter(
    (mutant) => (kind === undefined || mutant.kind === kind) && (world === undefined || mutant.world === world),
  ).filter((_, at) => at % part.of === part.index - 1);
  const waiting = [...hunted];
  let caught = 0;
  const seeds = new Map<string, number>();
  const lane = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const result = await hunt(mutant);
      if (result !== undefined) {
        caught += 1;
        seeds.set(mutant.name, result.seed);
      }
      console.log(lineOf(mutant, result));
    }
  };
  await Promise.all(Array.from({ length: workers }, lane));
  if (records) recordCaughtBy(seeds);
  console.log(`caught ${caught} of ${hunted.length} mutants in the simulation`);
  return hunted.length - caught;
}

function lineOf(mutant: HuntedMutant, result: SeedResult | undefined): string {
  const { name } = mutant;
  if (result === undefined) return `SURVIVED  ${name.padEnd(NAME_WIDTH)} ${SEEDS_MAX} seeds`;
  const what = tellingOf(mutant, result)!.slice(0, TEXT_MAX).split('\n')[0]!;
  return `caught    ${name.padEnd(NAME_WIDTH)} seed ${result.seed}: ${what}`;
}

/**
 * A mutant whose line does not run any more is no fault that anything has seen. Nor is a worker's end: memory or the real time may be
 * short for another reason. A mutant that has a loop go round for ever is to be written so that it does not.
 */
const BROKEN = /\b(?:ReferenceError|SyntaxError)\b|^the worker ended with|^the world had not ended/;

/** The violation by which the mutant counts as caught. */
function tellingOf({ invariant }: HuntedMutant, { violations }: SeedResult): string | undefined {
  const isTelling = (violation: string): boolean => invariant === undefined || violation.includes(` ${invariant}: `);
  return violations.find((violation) => isTelling(violation) && !BROKEN.test(violation));
}

/** One seed after another, so that always the same one catches it. */
async function hunt(mutant: HuntedMutant): Promise<SeedResult | undefined> {
  const { name, kind, seed, world } = mutant;
  let caught: SeedResult | undefined;
  const pinned = REGRESSION_SEEDS.filter((each) => each.kind === kind).map((each) => each.seed);
  const left = [
    ...[seed, SEED_THAT_CAUGHT.get(name)].filter((each) => each !== undefined),
    ...(world === undefined ? pinned : []),
    ...Array.from({ length: SEEDS_MAX }, (_, at) => at + 1),
  ];
  await runPool({
    workers: 1,
    mutant: name,
    worldEndsWithinMs: WORLD_ENDS_WITHIN_MS,
    next: () => {
      const next = caught === undefined ? left.shift() : undefined;
      return next === undefined ? undefined : { seed: next, kind, world };
    },
    onResult: (result) => {
      if (tellingOf(mutant, result) !== undefined) caught ??= result;
    },
  });
  return caught;
}
