import type { Running } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import type { Scenario } from './scenario.fixture.ts';

/** Exit code of an interrupted `simulate`. */
export const INTERRUPTED = 130;

/** 500 heartbeats a second of short sessions, until it is stopped. */
export function simulateFleet(
  { input, kafka }: Scenario,
  { ledger, seed }: { readonly ledger: string; readonly seed: number },
): Running {
  const load = ['--sessions', '1000000', '--rate', '500', '--heartbeat-ms', '250', '--beats', '6', '--format', 'json'];
  const where = ['--topic', input, '--brokers', kafka.brokers.join(',')];
  return flatline(['simulate', ...where, ...load, '--seed', String(seed), '--ledger', ledger]);
}
