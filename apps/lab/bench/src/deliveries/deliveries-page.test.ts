import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { deliveriesPage, deliveryRows, pendingFigures, routeFigures } from './deliveries-page.ts';
import type { RouteTurn } from './route-cost.ts';

const turn = (contender: string, cpuMs: number) => ({ contender, posts: 1_000, elapsedMs: 500, cpuMs, again: 0 });
const closes = (what: RouteTurn['what'], cpuMs: number): RouteTurn => ({ what, outputs: 1_000, cpuMs });
const look = (liveSessions: number) => ({
  liveSessions,
  memoryBytes: 5e7 + 700 * liveSessions,
  storeBytes: 1e6 + 900 * liveSessions,
  changelogBytes: 800 * liveSessions,
  liveBytes: 800 * liveSessions,
});

const route = routeFigures([closes('not routed', 20), closes('routed', 25), closes('consumer', 30)]);
const pending = pendingFigures({
  half: look(500),
  all: look(1_000),
  bodyBytes: 523,
  restarts: [{ after: 'kill −9', untilAttemptMs: 4_700, peakRssBytes: 2e8 }],
});
const textWith = (cpuMs: number): string =>
  pageText(deliveriesPage({ pending, route }), deliveryRows([turn('bare undici', 20), turn('flatline', cpuMs)]));

test('deliveries are judged beside the bare loop, per CPU second', () => {
  expect(textWith(40)).toContain('flatline: 0.50 × the bare loop (at least 0.5: met)');
  expect(textWith(41)).toContain('flatline: 0.49 × the bare loop (at least 0.5: MISSED)');
});

test('bytes are those of more retries, without what a process takes anyway', () => {
  expect(textWith(40)).toContain('bytes of each: 700 in memory, 900 in the local store (LMDB), 800 in the log');
  expect(textWith(40)).toMatch(/^kill −9 +4\.7 +200 MB$/m);
});

test('a route costs what it adds to a close', () => {
  expect([route.routeUs, route.times]).toEqual([5, 6]);
  expect(textWith(40)).toContain('6.0 × the route');
});
