import { expect, test } from '@jest/globals';
import { RulesInForce } from './rules-in-force.ts';
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
