// Which kind of pipeline a world simulates, and by which rules.
import type { Random } from '@flatline/base';
import type { Simulation } from '@flatline/cluster';
import type { LeaseRules, ScheduleRules } from '@flatline/kinds';
import type { KindScenario } from './common-rules.ts';
import type { KindName } from './kind-names.ts';
import { type DebounceSubject, drawDebounceRules, SimulatedDebounce } from './simulated-debounce.ts';
import { SimulatedSessions } from './sessions.ts';
import { drawLeaseRules, SimulatedLeases } from './simulated-leases.ts';
import { drawScheduleRules, SimulatedSchedules } from './simulated-schedules.ts';
import { oneOf } from '../one-of.ts';
import type { SimulatedKind } from './simulated-kind.ts';

export type Subject =
  | { readonly kind: 'session' }
  | { readonly kind: 'lease'; readonly rules: LeaseRules }
  | { readonly kind: 'debounce'; readonly rules: DebounceSubject }
  | { readonly kind: 'schedule'; readonly rules: ScheduleRules; readonly maxDuePerSecond: number | undefined };

/** So many of a hundred worlds; the others are of sessions, which reach the most of the engine. */
const SHARES: readonly (readonly [KindName, number])[] = [
  ['lease', 10],
  ['debounce', 10],
  ['schedule', 10],
];

/** Drawn from a random of its own: a world of sessions is the world that its seed always was. */
export function drawKind(random: Random): KindName {
  let draw = random.below(100);
  for (const [kind, share] of SHARES) {
    if (draw < share) return kind;
    draw -= share;
  }
  return 'session';
}

export function drawSubject(kind: KindName, random: Random): Subject {
  switch (kind) {
    case 'session':
      return { kind };
    case 'lease':
      return { kind, rules: drawLeaseRules(random) };
    case 'debounce':
      return { kind, rules: drawDebounceRules(random) };
    case 'schedule':
      return {
        kind,
        rules: drawScheduleRules(random),
        maxDuePerSecond: oneOf(random, [1, 5, undefined, undefined, undefined]),
      };
  }
}

export function simulatedKind(simulation: Simulation, subject: Subject, scenario: KindScenario): SimulatedKind {
  switch (subject.kind) {
    case 'session':
      return new SimulatedSessions(simulation, scenario);
    case 'lease':
      return new SimulatedLeases(simulation, subject.rules, scenario);
    case 'debounce':
      return new SimulatedDebounce(subject.rules, scenario);
    case 'schedule':
      return new SimulatedSchedules(simulation, subject.rules, scenario);
  }
}
