// What a demo runs with: short times, so that the first sessions close within seconds, and names of its own, so that
// earlier runs do not disturb.
import type { DurationMs, Millis } from '@flatline/base';
import { type FlatlineConfig, resolveConfiguration } from '@flatline/config';
import { type FleetPlan, usualEnds } from '@flatline/fleet';

export const DEMO_TIMEOUT_MS: DurationMs = 3000;
export const DEMO_PARTITIONS = 4;
const HEARTBEAT_MS: DurationMs = 500;

export interface DemoPlace {
  readonly brokers: readonly string[];
  readonly stateDir: string;
  readonly startedAt: Millis;
}

/** Application and topics carry the time of the start: no earlier run had them. */
export function demoConfiguration({ brokers, stateDir, startedAt }: DemoPlace): FlatlineConfig {
  const application = `demo-${startedAt.toString(36)}`;
  const pipeline = {
    name: 'sessions',
    kind: 'session',
    timeoutMs: DEMO_TIMEOUT_MS,
    input: { topic: `${application}.heartbeats` },
    output: { topic: `${application}.closed` },
  };
  // Any free port: a processor that already runs here is no reason for a demo to fail.
  const http = { port: 0 };
  const file = { application, brokers: [...brokers], stateDir, http, pipelines: [pipeline] };
  // No environment: the brokers have been chosen, and whoever sets FLATLINE_ variables means another application.
  return resolveConfiguration(file, { source: 'demo', folder: stateDir, environment: {} });
}

/** `sessions` undefined: no end. */
export function demoPlan(sessions: number | undefined, ratePerSecond: number, seed: number): FleetPlan {
  return {
    sessions: sessions ?? Infinity,
    ratePerSecond,
    heartbeatMs: HEARTBEAT_MS,
    beatsMean: 6,
    ends: usualEnds,
    seed,
    duplicates: 0.02,
    reorder: 0.02,
    lose: 0.01,
  };
}
