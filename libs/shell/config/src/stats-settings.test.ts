// Statistics of sessions (S12).
import { describe, expect, test } from '@jest/globals';
import { rulesText } from './index.ts';
import { minimal, problems, resolve, visits } from './resolving.fixture.ts';

const of = (changes: object): object => ({ ...minimal, pipelines: [{ ...visits, ...changes }] });
const PLAN = { name: 'plan', attribute: 'plan', max: 5 };

describe('statistics', () => {
  test('[S12] windows and dimensions, and the topic beside the output', () => {
    const [pipeline] = resolve(of({ stats: { windows: ['1h', '1m'], dimensions: [PLAN] } })).pipelines;
    expect(pipeline).toMatchObject({
      rules: { stats: { windows: [60_000, 3_600_000], dimensions: [PLAN] } },
      targets: [`${visits.output.topic}.stats`],
    });
    const [byDefault] = resolve(of({ stats: {} })).pipelines;
    expect(byDefault).toMatchObject({ rules: { stats: { windows: [60_000, 3_600_000, 86_400_000], dimensions: [] } } });
  });

  test('[S12][K1] are among the settings that the changelog says, where there are any, and nothing of them else', () => {
    const [with_] = resolve(of({ stats: { windows: ['1m'] } })).pipelines;
    const [without] = resolve(of({})).pipelines;
    expect(JSON.parse(rulesText(with_!))).toMatchObject({ stats: { windows: [60_000], dimensions: [] } });
    expect(rulesText(without!)).not.toContain('stats');
  });

  test.each([
    { timestampType: 'CreateTime', graceMs: '1m' },
    { timestampType: 'CreateTime', graceMs: '1m', late: 'revise', revisionWindowMs: '1h' },
    { timestampType: 'CreateTime', graceMs: 0 },
  ])("[S12][C7] go with producers' stamps: %j", ({ timestampType, ...rules }) => {
    const [pipeline] = resolve(of({ stats: {}, ...rules, input: { ...visits.input, timestampType } })).pipelines;
    expect(pipeline!.targets).toEqual([`${visits.output.topic}.stats`]);
  });

  test('[S12][S8] go with several inputs, and with revisions by one that only adds data', () => {
    const input = [{ topic: 'beats' }, { topic: 'table', touches: false, unknownKey: 'hold' }];
    const [pipeline] = resolve(of({ stats: {}, revisionWindowMs: '1h', input })).pipelines;
    expect(pipeline).toMatchObject({ targets: [`${visits.output.topic}.stats`], inputs: [{}, {}] });
  });

  test.each([
    [{ stats: { windows: [] } }, /pipelines\[0\]\.stats\.windows/],
    [{ stats: { windows: ['2m'] } }, /pipelines\[0\]\.stats\.windows\[0\] \["2m"\]/],
    [{ stats: { windows: ['1m', '1m'] } }, /pipelines\[0\]\.stats\.windows .*each window once/],
    [{ stats: { dimensions: [{ ...PLAN, max: 0 }] } }, /pipelines\[0\]\.stats\.dimensions\[0\]\.max \[0\]/],
    [{ stats: { dimensions: [{ ...PLAN, name: '1st' }] } }, /pipelines\[0\]\.stats\.dimensions\[0\]\.name/],
    [{ stats: { dimensions: [PLAN, PLAN] } }, /pipelines\[0\]\.stats\.dimensions .*a name of its own/],
    [
      { stats: { dimensions: [{ ...PLAN, max: 99 }] } },
      /pipelines\[0\]\.stats\.dimensions .*at most 300 cells, and these are 303/,
    ],
    [{ stats: {}, proof: 'fetch' }, /pipelines\[0\]\.stats .*needs proof "record"/],
    [{ stats: {}, changelogFormat: 4 }, /pipelines\[0\]\.stats .*needs changelogFormat 5/],
    [{ kind: 'lease', stats: {} }, /pipelines\[0\]\.stats/],
  ])('[S12][I4] %j is refused', (changes, message) => {
    expect(problems(of(changes)).join('\n')).toMatch(message);
  });

  test('[S12][I4] another pipeline may not write to its topic', () => {
    const other = { ...visits, name: 'others', output: { topic: `${visits.output.topic}.stats` } };
    const found = problems({ ...minimal, pipelines: [{ ...visits, stats: {} }, other] });
    expect(found.join('\n')).toMatch(/a topic of its own/);
  });
});
