import { expect, test } from '@jest/globals';
import { judgeDeliveries } from './delivery-judge.ts';
import type { BegunAttempt, DeliveryRecord } from './evidence.ts';

const ENDPOINT = 'sink';
const T = 1_700_000_000_000;
const utf8 = new TextEncoder();

/** In one process, one after the other. */
const FAILED: readonly BegunAttempt[] = [1, 2, 3, 4, 5].map((second) => ({
  endpoint: ENDPOINT,
  id: `visits:0-${second}:0`,
  at: T + 1_000 * second,
  run: 'a1#1',
  isStale: false,
  fencedMs: 0,
  endedAt: T + 1_000 * second + 100,
  isDelivered: false,
}));
const LAST_FAILED_AT = T + 5_100;

function opened(times: number, failedAt: number, openMs: number): DeliveryRecord {
  const said = { kind: 'open', until: failedAt + openMs, opened: times, failingSince: T + 1_100, failedAt };
  const breaker = { name: 'breaker', value: utf8.encode(JSON.stringify(said)) };
  const [key, value] = [utf8.encode(ENDPOINT), utf8.encode('{}')];
  return { key, value, headers: [breaker], timestamp: LAST_FAILED_AT + 40, offset: 0 };
}

function findings(...kept: readonly DeliveryRecord[]): readonly string[] {
  const rules = { on: undefined, order: 'none', supersede: false, maxInFlight: 1, maxPerSecond: undefined } as const;
  const found = judgeDeliveries({
    pipeline: 'visits',
    endpoints: [{ name: ENDPOINT, ...rules, secrets: [], saidGone: false }],
    outputs: [[]],
    kept: [kept],
    undeliverable: [[]],
    begun: FAILED,
    positions: [],
  });
  return found.filter((each) => each.includes('breaker'));
}

test('[N4] a breaker that the fifth failure in a row opens, for five seconds, is right', () => {
  expect(findings(opened(1, LAST_FAILED_AT, 5_000))).toEqual([]);
});

test.each([
  ['as of the first failure in the row', 1, T + 1_100, 5_000],
  ['as of an instant by which none had failed', 1, T + 1_000, 5_000],
  ['for too short a time', 1, LAST_FAILED_AT, 3_900],
  ['for too long', 1, LAST_FAILED_AT, 6_100],
  ['for the second time at first', 2, LAST_FAILED_AT, 10_000],
])('[N4] one that is open %s is a finding', (_, times, failedAt, openMs) => {
  expect(findings(opened(times, failedAt, openMs))).not.toEqual([]);
});

test('[N4] one that opens again is open for twice as long', () => {
  const again = (times: number) => findings(opened(1, LAST_FAILED_AT, 5_000), opened(times, LAST_FAILED_AT, 10_000));
  expect(again(2)).toEqual([]);
  expect(again(3)).not.toEqual([]);
});
