// Where a clock was overtaken no log tells what a reducer had come to when a record came, nor so which records it refuses (C3).
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { Simulation } from '@flatline/cluster';
import { KIND_LABS, type KindScenario } from '@flatline/lab-kinds';
import { CHANGELOG, DEAD_LETTERS, INPUT } from '../pipeline-names.ts';
import type { Scenario } from '../scenario.ts';
import type { DecidedCommit } from './decisions.ts';
import { foldPartition, type JudgedWorld } from './expectation.ts';
import { checkOvertaken } from './overtaken.ts';

const SEEDS_MAX = 200;
const EVENTS = 12;
const REPLICATED_MS = 5_000;
const SCENARIO: KindScenario = {
  timestampType: 'LogAppendTime',
  proof: 'fetch',
  tombstones: true,
  heldTime: undefined,
  bounds: { entriesMax: 1_000_000, keyBytesMax: 1_000_000 },
  maxStateBytes: undefined,
  timeoutMs: 60_000,
  maxDurationMs: undefined,
  furtherInputs: [],
  stormMs: 1_000,
};

/** A world of the kind in which a reducer refuses some of these events for what it has come to. */
async function worldOf(name: 'session' | 'debounce'): Promise<JudgedWorld> {
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    const simulation = new Simulation({ seed });
    const kind = KIND_LABS[name].worlds.draw(seededRandom(seed)).simulate(simulation, SCENARIO);
    const world = { simulation, scenario: SCENARIO as Scenario, kind };
    for (const topic of [INPUT, DEAD_LETTERS, CHANGELOG]) simulation.log.createTopic(topic, { partitions: 1 });
    for (let n = 10; n < 10 + EVENTS; n += 1)
      simulation.log.produce(INPUT, 0, { key: 'k', value: JSON.stringify({ type: 'CLICK', n, v: `v${n}` }) });
    await simulation.time.runFor(REPLICATED_MS);
    if (foldPartition(world, 0).refused.length > 0) return world;
  }
  throw new Error(`no world of ${name} has such a reducer`);
}

async function tell({ simulation }: JudgedWorld, offset: number, reason: string): Promise<void> {
  const utf8 = new TextEncoder();
  const said = { 'flatline-reason': reason, 'flatline-topic': INPUT, 'flatline-offset': String(offset) };
  const headers = Object.entries(said).map(([header, text]) => ({ name: header, value: utf8.encode(text) }));
  simulation.log.produce(DEAD_LETTERS, 0, { key: 'k', value: '', headers });
  await simulation.time.runFor(REPLICATED_MS);
}

function found(world: JudgedWorld): readonly string[] {
  const header = { position: EVENTS, clock: Infinity, sequence: 1 };
  return checkOvertaken(world, 0, [{ header, outputs: [] } as unknown as DecidedCommit]);
}

describe.each(['session', 'debounce'] as const)('letters of %s, where a clock was overtaken', (name) => {
  test('[I1][S10] of what a reducer refuses may be of any records, others may not', async () => {
    const world = await worldOf(name);
    expect(found(world)).toEqual([]);
    await tell(world, EVENTS - 1, 'reduced-too-large');
    expect(found(world)).toEqual([]);
    await tell(world, 3, 'key-too-long');
    expect(found(world)).toEqual(['[I1] dead letters of 3, the log has ']);
  });
});
