// Worlds of leases by seed: their rules, and the assumptions of their contenders about a cluster.
import type { Random } from '@flatline/base';
import type { LeaseRules } from '@flatline/kinds/lease';
import type { KindScenario } from '../worlds/common-rules.ts';
import { drawHeldTime, heldByDefault } from '../worlds/held-time.ts';
import { fewKeys, type KindWorlds, type WorldSubject, type WorldTerms } from '../worlds/kind-worlds.ts';
import { oneOf } from '../worlds/one-of.ts';
import { HOLDERS_BROKERS_SKEW_MS, hasContenders } from './lease-contenders.ts';
import { SimulatedLeases } from './simulated-leases.ts';

export const leaseWorlds: KindWorlds<'lease'> = {
  share: 10,
  reach: [
    'byFetch',
    'GRANTED',
    'QUEUED',
    'RELEASED',
    'EXPIRED/TIMEOUT',
    'EXPIRED/MAX_DURATION',
    'EXPIRED/REPLACED',
    'REJECTED/HELD',
    'REJECTED/WRONG_TOKEN',
    'REJECTED/LOCK_DELAY',
    'REJECTED/QUEUE_FULL',
    'REJECTED/WAITED',
    'REJECTED/WITHDRAWN',
    'EXPIRED/EVICTED',
    'REJECTED/EVICTED',
    'RELEASED/byOperator',
    'heldByContender',
    'contenderOver/TIMEOUT',
    'contenderOver/TOO_LATE',
  ],
  startAt: () => undefined,
  draw: (random) => leasesBy(drawRules(random)),
};

function leasesBy(rules: LeaseRules): WorldSubject<'lease'> {
  return {
    kind: 'lease',
    rules,
    maxDuePerSecond: undefined,
    fit: (world, random) => ({
      keys: fewKeys(world),
      heldTime: mayHold(world) ? drawLeasesHeldTime(random, rules) : undefined,
      // Holders assume that acknowledged records stay, and that brokers' clocks agree within the skew (L8).
      ...(hasContenders(rules, world) && { uncleanElections: false, brokersSkewMs: HOLDERS_BROKERS_SKEW_MS }),
    }),
    // Holders judged by their beliefs rely on one set of rules for the terms that they were granted.
    mayChange: (world) => !hasContenders(rules, world),
    // Never lowered (L3).
    changed: (random) => leasesBy({ ...drawRules(random), tokenEpoch: rules.tokenEpoch }),
    simulate: (simulation, scenario) => new SimulatedLeases(simulation, rules, scenario),
  };
}

function drawRules(random: Random): LeaseRules {
  const timeoutMs = oneOf(random, [1_000, 2_000, 5_000]);
  return {
    timeoutMs,
    minTimeoutMs: 500,
    maxTimeoutMs: 9_000,
    bucketMs: oneOf(random, [0, 0, 700]),
    onConflict: oneOf(random, ['queue', 'queue', 'reject', 'replace'] as const),
    maxWaiters: 1 + random.below(3),
    lockDelayMs: oneOf(random, [0, 0, 1, 2_500]),
    maxDurationMs: oneOf(random, [undefined, undefined, 3 * timeoutMs]),
    tokenEpoch: oneOf(random, [0, 1, 8_191]),
    maxAttributes: 2,
    maxAttributeBytes: 64,
  };
}

function mayHold({ timestampType, proof }: Pick<WorldTerms, 'timestampType' | 'proof'>): boolean {
  return timestampType === 'LogAppendTime' && proof === 'record';
}

function drawLeasesHeldTime(random: Random, { timeoutMs }: Pick<LeaseRules, 'timeoutMs'>): KindScenario['heldTime'] {
  const draw = random.below(100);
  if (draw < 25) return undefined;
  return draw < 50 ? drawHeldTime(random) : heldByDefault(timeoutMs);
}
