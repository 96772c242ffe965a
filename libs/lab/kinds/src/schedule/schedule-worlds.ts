// Worlds of schedules by seed: half of them begin seconds before a change of daylight saving time.
import type { Millis, Random } from '@flatline/base';
import type { ScheduleRules } from '@flatline/kinds/schedule';
import { fewKeys, type KindWorlds, type WorldSubject } from '../worlds/kind-worlds.ts';
import { oneOf } from '../worlds/one-of.ts';
import { TARGET } from '../worlds/topics.ts';
import { SimulatedSchedules } from './simulated-schedules.ts';

/** Changes in Europe/Berlin and America/Nuuk: back, and forward. */
const TURNS: readonly Millis[] = [1_792_890_000_000, 1_806_195_600_000];
const BEFORE_MS = 15_000;
const HOUR_MS = 3_600_000;

export const scheduleWorlds: KindWorlds<'schedule'> = {
  share: 10,
  reach: ['run', 'run/missed', 'runForTarget', 'REPLACED', 'CANCELLED', 'EXPIRED', 'MISSED', 'PAUSED', 'TRIGGERED'],
  startAt: (random) => (random.chance(0.5) ? oneOf(random, TURNS) - random.below(BEFORE_MS) : undefined),
  draw: (random) => schedulesBy(drawRules(random), oneOf(random, [1, 5, undefined, undefined, undefined])),
};

function schedulesBy(rules: ScheduleRules, maxDuePerSecond: number | undefined): WorldSubject<'schedule'> {
  return {
    kind: 'schedule',
    rules,
    maxDuePerSecond,
    // Schedules refuse `CreateTime`, and `fetch` (C3).
    fit: (world) => ({
      keys: fewKeys(world),
      timestampType: 'LogAppendTime',
      proof: 'record',
      hidesNothing: false,
      heldTime: undefined,
    }),
    // Where a pace holds work back, only the input tells how much is left.
    mayChange: () => maxDuePerSecond === undefined,
    changed: (random) => schedulesBy(drawRules(random), maxDuePerSecond),
    simulate: (simulation, scenario) => new SimulatedSchedules(simulation, rules, scenario),
  };
}

function drawRules(random: Random): ScheduleRules {
  return {
    maxHorizonMs: oneOf(random, [6_000, HOUR_MS]),
    minEveryMs: 1_500,
    missed: oneOf(random, ['once', 'all', 'skip'] as const),
    maxCatchUp: 1 + random.below(5),
    catchUpWindowMs: oneOf(random, [3_000, HOUR_MS]),
    receipts: oneOf(random, ['none', 'errors', 'all'] as const),
    maxMessageBytes: 100_000,
    maxSchedulesPerKey: 1 + random.below(3),
    targets: [TARGET],
    outputTopic: 'runs',
  };
}
