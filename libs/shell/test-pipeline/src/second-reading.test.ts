// What lives through random histories, beside a second reading of the rules that shares no code with the product: the oracle's. The
// log that both read is the one that came to be, clock records among it.
import { describe, expect, it } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { resolveConfiguration } from '@flatline/config';
import {
  batchSizes,
  foldDebounce,
  foldInput,
  foldLeases,
  foldSchedules,
  inputRecord,
  jsonEvent,
  type RawRecord,
} from '@flatline/oracle';
import { type LoggedRecord, type PipelineSection, type TestPipeline, testPipeline } from './index.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const SEEDS = Number(process.env['SEEDS'] ?? 8);
const TOPICS = { input: { topic: 'in' }, output: { topic: 'out' } } as const;
const seeds = Array.from({ length: SEEDS }, (_, i) => SEED + i);

type Act = (p: TestPipeline, random: Random, i: number) => unknown;

/** A log of some hundred records, with pauses, outages and restarts between. */
function lived(section: PipelineSection, seed: number, act: Act): { p: TestPipeline; raw: RawRecord[] } {
  const random = seededRandom(seed);
  const p: TestPipeline = testPipeline(section);
  for (let i = 0; i < 250; i += 1) {
    act(p, random, i);
    p.advance(random.chance(0.1) ? random.below(60_000) : random.below(2_000));
    if (random.chance(0.03)) p.outage(random.below(40_000));
    if (random.chance(0.05)) p.restart();
  }
  p.advance('10m');
  return { p, raw: p.input().map((record) => ({ ...record, logAppendTime: true })) };
}

function pipelineOf<Kind extends PipelineSection['kind']>(section: PipelineSection & { readonly kind: Kind }) {
  const document = { application: 'a', brokers: ['b:1'], pipelines: [section] };
  const [pipeline] = resolveConfiguration(document, { source: 'test', folder: '.', environment: {} }).pipelines;
  if (pipeline?.kind !== section.kind) throw new Error('of another kind');
  return pipeline;
}

const json = (value: Uint8Array): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(value)) as Record<string, unknown>;

/** Values in JSON by key, without what names the key and the present of the processor. */
function saidByKey(p: TestPipeline): Record<string, unknown[]> {
  const said: Record<string, unknown[]> = {};
  for (const { keyText, value } of p.records()) {
    if (value === null) continue;
    const { emittedAt, key, ...fields } = json(value);
    expect([emittedAt, key].filter((each) => each !== undefined)).toHaveLength(1);
    (said[keyText] ??= []).push(fields);
  }
  return said;
}

/** Live, and once more by its log: the same comes out. */
function expectSameByReplay(section: PipelineSection, log: readonly LoggedRecord[], said: unknown): void {
  const again: TestPipeline = testPipeline(section);
  again.replay(log);
  expect(saidByKey(again)).toEqual(said);
}

describe.each(seeds)('what a test pipeline says, seed %i', (seed) => {
  it('[C5] [C8] [S1] [S2] [S3] [S5] [S7] of sessions is what the rules say of its log', () => {
    const section = { name: 's', kind: 'session', timeoutMs: '20s', maxDurationMs: '3m', ...TOPICS } as const;
    const { p, raw } = lived(section, seed, (q, random, i) => {
      const event = { type: 'VIEW', sequence: i >> 2, attributes: { at: String(i) } };
      const short = random.chance(0.1) ? { timeoutMs: 5_000 } : {};
      const value = random.chance(0.1) ? null : random.chance(0.3) ? '' : { ...event, ...short };
      q.send(`k${random.below(5)}`, value);
    });
    const { rules, heldTime, input } = pipelineOf(section);
    const naive = { kind: 'session', ...rules, ...heldTime, ...input } as never;
    const { summaries } = foldInput(
      raw.map((record) => inputRecord(record, jsonEvent)),
      { partition: 0, rules: naive },
    );
    const said = saidByKey(p);
    const byKey = Object.groupBy(summaries, (summary) => String(summary['sessionId']));
    expect(said).toEqual(byKey);
    expect(summaries.length).toBeGreaterThan(40);
    expectSameByReplay(
      section,
      raw.map((record) => ({ ...record, partition: 0 })),
      said,
    );
  });
});
