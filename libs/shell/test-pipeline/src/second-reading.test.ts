// Live entries through random histories, compared with a second reading of the rules that shares no code with the product: the
// oracle's. Both read the log that came to be, clock records included.
import { describe, expect, it } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { type PipelineConfig, resolveConfiguration } from '@flatline/config';
import { inputRecord, jsonEvent, type RawRecord } from '@flatline/oracle';
import { batchSizes, foldDebounce } from '@flatline/oracle/debounce';
import { foldLeases } from '@flatline/oracle/lease';
import { type FoldCalendar, foldSchedules } from '@flatline/oracle/schedule';
import { foldInput } from '@flatline/oracle/session';
import { type PipelineSection, type TestPipeline, testPipeline, type WrittenRecord } from './index.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const SEEDS = Number(process.env['SEEDS'] ?? 8);
const TOPICS = { input: { topic: 'in' }, output: { topic: 'out' } } as const;
const NO_CALENDAR: FoldCalendar = {
  version: '',
  isSound: () => false,
  next: () => undefined,
  instant: () => undefined,
};
const key = (random: Random): string => `k${random.below(5)}`;
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

function pipelineOf<Kind extends PipelineConfig['kind']>(
  section: PipelineSection & { readonly kind: Kind },
): Extract<PipelineConfig, { readonly kind: Kind }> {
  const document = { application: 'a', brokers: ['b:1'], pipelines: [section] };
  const [pipeline] = resolveConfiguration(document, { source: 'test', folder: '.', environment: {} }).pipelines;
  if (pipeline?.kind !== section.kind) throw new Error('of another kind');
  return pipeline as Extract<PipelineConfig, { readonly kind: Kind }>;
}

function groupedBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): Readonly<Record<string, readonly Item[]>> {
  return Object.fromEntries(Map.groupBy(items, nameOf));
}

const json = (value: Uint8Array): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(value)) as Record<string, unknown>;

type Said = Readonly<Record<string, readonly unknown[]>>;
type Show = (record: WrittenRecord) => unknown;

/** By key, in order. */
function saidBy(p: TestPipeline, show: Show): Said {
  const said: Record<string, unknown[]> = {};
  for (const record of p.records()) (said[record.keyText] ??= []).push(show(record));
  return said;
}

/** As the folds have it: without the processor's present, and without what names the key a second time. */
const inJson: Show = ({ value }) => {
  if (value === null) return null;
  return Object.fromEntries(Object.entries(json(value)).filter(([name]) => name !== 'emittedAt' && name !== 'key'));
};

/** Runs and receipts say all in their headers. */
const inHeaders: Show = ({ value, headers }) => {
  const text = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('utf8');
  return {
    value: text(value),
    headers: headers.map((each) => `${each.name}=${each.value === null ? '(null)' : text(each.value)}`),
  };
};

/** Live it said what the fold says; and once more by its log it says the same. */
function expectSaid(section: PipelineSection, { p, raw }: ReturnType<typeof lived>, wanted: Said, show: Show): void {
  const said = saidBy(p, show);
  expect(said).toEqual(wanted);
  const again: TestPipeline = testPipeline(section);
  again.replay(raw);
  expect(saidBy(again, show)).toEqual(said);
  expect(Object.values(said).flat().length).toBeGreaterThan(40);
}

describe.each(seeds)('what a test pipeline says, seed %i', (seed) => {
  it('[C5] [C8] [S1] [S2] [S3] [S5] [S7] of sessions is what the rules say of its log', () => {
    const section = {
      name: 's',
      kind: 'session',
      timeoutMs: '20s',
      maxDurationMs: '3m',
      input: TOPICS.input,
      output: { topic: 'out', tombstones: false },
    } as const;
    const life = lived(section, seed, (p, random, i) => {
      const event = { type: 'VIEW', sequence: i >> 2, attributes: { at: String(i) } };
      const short = random.chance(0.1) ? { timeoutMs: 5_000 } : {};
      p.send(key(random), random.chance(0.1) ? null : random.chance(0.3) ? '' : { ...event, ...short });
    });
    const { rules, heldTime, input } = pipelineOf(section);
    const naive = { kind: 'session', ...rules, ...heldTime, ...input } as never;
    const records = life.raw.map((record) => inputRecord(record, jsonEvent));
    const { summaries } = foldInput(records, { partition: 0, rules: naive });
    expectSaid(
      section,
      life,
      groupedBy(summaries, (each) => String(each['sessionId'])),
      inJson,
    );
  });

  it('[C5] [C8] [L1] [L3] [L4] of leases is what the rules say of its log', () => {
    const section = {
      name: 'l',
      kind: 'lease',
      timeoutMs: '20s',
      onConflict: 'queue',
      lockDelayMs: '1s',
      ...TOPICS,
    } as const;
    const life = lived(section, seed, (p, random, i) => {
      const headers = { 'flatline-request-id': `r${i}`, 'flatline-token': 1 + random.below(i + 1) };
      p.send(key(random), random.chance(0.5) ? { type: 'STARTED' } : random.chance(0.5) ? '' : null, { headers });
    });
    const { rules, heldTime } = pipelineOf(section);
    const { said } = foldLeases(life.raw, { partition: 0, rules, heldTime, logAppendTime: true });
    expectSaid(section, life, Object.fromEntries(said), inJson);
  });

  it('[C5] [B1] [B2] [B3] of windows is what the rules say of its log', () => {
    const section = { name: 'd', kind: 'debounce', waitMs: '3s', maxItems: 7, dedupeBy: '/id', ...TOPICS } as const;
    const life = lived(section, seed, (p, random, i) => {
      if (random.chance(0.1)) p.send(key(random), null);
      else p.send(key(random), { i, id: random.below(5) });
    });
    const rules = { ...pipelineOf(section).rules, ...batchSizes('json') };
    const { said } = foldDebounce(life.raw, { partition: 0, rules, logAppendTime: true });
    const shown = [...said].map(([name, batches]): [string, unknown[]] => [
      name,
      batches.map((batch) => ({ ...batch, items: batch.items.map((item) => ({ ...item, value: json(item.value) })) })),
    ]);
    expectSaid(section, life, Object.fromEntries(shown), inJson);
  });

  it('[C5] [D1] [D2] [D3] of schedules is what the rules say of its log', () => {
    const section = { name: 'r', kind: 'schedule', receipts: 'all', ...TOPICS } as const;
    const life = lived(section, seed, (p, random, i) => {
      const named = { 'flatline-schedule-id': `s${random.below(3)}` };
      const every = { 'flatline-every-ms': 500 + random.below(9_000), 'flatline-max-runs': 1 + random.below(9) };
      const when = random.chance(0.5) ? { 'flatline-delay-ms': random.below(90_000) } : every;
      if (random.chance(0.15)) p.send(key(random), null, { headers: named });
      else p.send(key(random), `run ${i}`, { headers: { ...named, ...when, app: i } });
    });
    const { rules } = pipelineOf(section);
    const { said } = foldSchedules(life.raw, { partition: 0, rules, calendar: NO_CALENDAR });
    expectSaid(section, life, Object.fromEntries(said), inHeaders);
  });
});
