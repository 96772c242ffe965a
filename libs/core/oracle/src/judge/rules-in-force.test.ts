import { expect, test } from '@jest/globals';
import { RulesInForce, topicsRoutedTo } from './rules-in-force.ts';
import type { JudgedRules } from './kinds.ts';

const record = (): undefined => undefined;
const routed = (version?: number) => ({ to: 'reminders', ...(version !== undefined && { version }), code: true });
const today = (version?: number) =>
  ({ kind: 'session', routes: [{ ...routed(version), record }] }) as unknown as JudgedRules;
const said = (version?: number) => [{ sequence: 1, from: 0, text: JSON.stringify({ routes: [routed(version)] }) }];

test.each<[string, number | undefined, number | undefined, boolean]>([
  ['the same version', 2, 2, true],
  ['none on both sides', undefined, undefined, true],
  ['a former version', 1, 2, false],
  ['none, before it had one', undefined, 1, false],
])('[P3] the function of a route is at hand for what was routed by %s: %s, today %s', (_, then, now, isAtHand) => {
  const { routes } = new RulesInForce(today(now), said(then)).rules;
  expect(routes![0]!.record === record).toBe(isAtHand);
});

const SAID = { timeoutMs: 5, graceMs: 0 };
const LEFT_OUT = {
  bucketMs: 700,
  revisionWindowMs: 9,
  stats: { windows: [60_000], dimensions: [] },
  reducer: { version: 1 },
  reduced: { version: 1 },
};

test.each(Object.entries(LEFT_OUT))(
  '[K1] %s, which settings say only where it is set, is none where they do not, and differs from one in the file',
  (setting, inFile) => {
    const text = JSON.stringify(SAID);
    const rules = { kind: 'session', ...SAID, [setting]: inFile } as unknown as JudgedRules;
    const inForce = new RulesInForce(rules, [{ sequence: 1, from: 0, text }]);
    expect([undefined, 0]).toContain((inForce.rules as unknown as Record<string, unknown>)[setting]);
    expect(inForce.differences()).toEqual([{ setting, inForce: null, inFile }]);
  },
);

test('[K1] settings that neither say differ in nothing', () => {
  const rules = { kind: 'session', ...SAID } as unknown as JudgedRules;
  const said = [{ sequence: 1, from: 0, text: JSON.stringify(SAID) }];
  expect(new RulesInForce(rules, said).differences()).toEqual([]);
});

test('[P3] the function of a route is at hand beside another that has changed', () => {
  const other = (value: string) => ({ to: 'alerts', value });
  const inFile = { kind: 'session', routes: [other('new'), { ...routed(2), record }] } as unknown as JudgedRules;
  const text = JSON.stringify({ routes: [other('old'), routed(2), routed(1)] });
  const { routes } = new RulesInForce(inFile, [{ sequence: 1, from: 0, text }]).rules;
  expect(routes!.map((each) => [each.value, each.record === record])).toEqual([
    ['old', false],
    [undefined, true],
    [undefined, false],
  ]);
});

test('[P3] topics to which routes have led are known by the settings of then', () => {
  const texts = ['{"routes":[{"to":"a"},{"to":"b"}]}', '{"routes":[{"to":"b"}]}', '{}', 'none'];
  expect([...topicsRoutedTo(texts.map((each, i) => ({ sequence: i, from: i, text: each })))]).toEqual(['a', 'b']);
});
