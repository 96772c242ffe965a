import type { Reach } from '@flatline/oracle';
import type { SeedResult } from '../tally.ts';
import { ChainWorld } from './chain-world.ts';

/** Findings of one world that are told. */
const FINDINGS_MAX = 5;

export async function liveChainWorld(seed: number): Promise<SeedResult> {
  const world = await ChainWorld.create(seed);
  const { time, faults } = world.simulation;
  const judged = await judgedChain(world).catch((error: unknown) => ({
    violations: [String(error instanceof Error ? error.stack : error)],
    counts: [],
  }));
  return {
    seed,
    kind: undefined,
    world: 'chain',
    violations: judged.violations,
    virtualMs: time.nowMs,
    fired: [...faults.fired(), ...judged.counts],
    lines: [],
  };
}

async function judgedChain(
  world: ChainWorld,
): Promise<Pick<SeedResult, 'violations'> & { readonly counts: SeedResult['fired'] }> {
  await world.live();
  const found = [...world.failures];
  const counts: [string, number][] = [];
  for (const pipeline of world.pipelines) {
    const { name } = pipeline;
    const { violations, undecided, reach } = await world.judge(pipeline);
    found.push(...violations.map((each) => `[${each.rule}] ${name}: ${JSON.stringify(each)}`));
    found.push(...undecided.map((each) => `undecided: ${name}: ${JSON.stringify(each)}`));
    counts.push(...reached(name, reach));
    // Its changelog may begin later, as on any broker: then no log tells the numbers of the first commits.
    const later = await world.judge(pipeline, true);
    found.push(...later.violations.map((each) => `truncated: [${each.rule}] ${name}: ${JSON.stringify(each)}`));
  }
  return { violations: found.slice(0, FINDINGS_MAX), counts };
}

function reached(name: string, { routed, claims }: Reach): [string, number][] {
  const all: [string, number][] = [
    [`routed/${name}`, routed],
    [`claims/${name}`, claims],
  ];
  return all.filter(([, times]) => times > 0);
}
