// Pipelines of several inputs in memory (S8).
import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { type LoggedRecord, type TestPipeline, testPipeline } from './index.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 4);
const SEED = Number(process.env['SEED'] ?? 1);

const visits = {
  name: 'visits',
  kind: 'session',
  timeoutMs: '30s',
  reducer: { pages: { set: { field: '/page', max: 8 } }, plan: { last: '/attributes/plan' } },
  input: [
    { topic: 'beats' },
    { topic: 'profiles', touches: false, unknownKey: 'hold', holdMs: '5m' },
    { topic: 'rows', touches: false, format: 'json', attributes: { at: '/after' } },
  ],
  output: { topic: 'out', tombstones: false },
} as const;

describe('a test pipeline of several inputs', () => {
  it('[S8] [S10] takes records of each by its topic, holds what comes before its session, and closes none for it', () => {
    const p = testPipeline(visits);
    p.send('anna', { attributes: { plan: 'pro' } }, { topic: 'profiles' });
    p.advance('1m');
    expect(p.entries()).toEqual([]);
    expect(p.outputs()).toEqual([]);
    p.send('anna', { page: '/' });
    p.send('anna', { page: '/cart' });
    p.send('anna', { after: { city: 'Ulm' } }, { topic: 'rows' });
    p.advance('10s');
    // No sign of life: the session ends 30 s after its last beat.
    p.send('anna', { page: '/never', attributes: { plan: 'free' } }, { topic: 'profiles' });
    p.advance('20s');
    expect(p.summaries()).toMatchObject([
      {
        summary: {
          reason: 'TIMEOUT',
          eventCount: 5,
          durationMs: 0,
          attributes: new Map([
            ['plan', 'free'],
            ['city', 'Ulm'],
          ]),
        },
      },
    ]);
    expect(p.deadLetters()).toEqual([]);
  });

  it('[S8] [I1] a letter and a record say of which input they are; an unknown topic is refused by name', () => {
    const p = testPipeline({
      ...visits,
      input: [visits.input[0], { topic: 'late', touches: false, unknownKey: 'deadLetter' }],
    });
    p.send('anna', { page: '/' }, { topic: 'late' });
    p.advance(1);
    expect(p.deadLetters()).toMatchObject([{ topic: 'late', reason: 'unknown-key', offset: 0, keyText: 'anna' }]);
    expect(p.input().filter(({ key }) => key !== null)).toMatchObject([{ topic: 'late', offset: 0 }]);
    expect(() => p.send('anna', '', { topic: 'visits' })).toThrow(
      'send: topic is "visits": the inputs of the pipeline are beats, late',
    );
    expect(() => {
      p.restart(visits);
    }).toThrow('restart: the inputs are beats, profiles, rows, and what pipeline visits keeps is of beats, late');
  });

  it.each(Array.from({ length: SEEDS }, (_, i) => SEED + i))(
    '[C5] [S8] seed %i: its logs, read again one after the other, give what they gave as they came (rerun: SEED)',
    (seed) => {
      const random = seededRandom(seed);
      const live: TestPipeline = testPipeline(visits);
      const log: LoggedRecord[] = [];
      for (let i = 0; i < 200; i += 1) {
        const key = `k${random.below(5)}`;
        const { topic } = visits.input[random.below(3)]!;
        const value = { page: `/${random.below(9)}`, sequence: i, source: topic, attributes: { plan: `p${i}` } };
        if (topic === 'rows') live.send(key, { after: { city: `c${i}` } }, { topic });
        else live.send(key, random.chance(0.2) ? '' : random.chance(0.05) ? null : value, { topic });
        if (random.chance(0.7)) live.advance(random.below(12_000));
        if (random.chance(0.03)) live.restart();
        log.push(...live.input());
      }
      live.advance('10m');
      log.push(...live.input());
      const again: TestPipeline = testPipeline(visits);
      for (const { topic } of visits.input) again.replay(log.filter((record) => record.topic === topic));
      // No order of keys is promised (C5).
      const said = (p: TestPipeline): unknown[] =>
        p
          .records()
          .map(({ value, keyText }) => {
            const summary = JSON.parse(Buffer.from(value!).toString()) as object;
            return { keyText, summary: { ...summary, emittedAt: undefined } };
          })
          .sort((a, b) => (a.keyText < b.keyText ? -1 : a.keyText > b.keyText ? 1 : 0));
      const first = said(live);
      expect(first.length).toBeGreaterThan(15);
      expect(said(again)).toEqual(first);
      expect(live.entries()).toEqual([]);
    },
  );
});
