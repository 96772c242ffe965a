// Which kind of pipeline a world simulates, and by which rules.
import type { Random } from '@flatline/base';
import type { Simulation } from '@flatline/cluster';
import type { LeaseRules, ScheduleRules } from '@flatline/kinds';
import type { KindName } from './kind-names.ts';
import { type DebounceSubject, drawDebounceRules, SimulatedDebounce } from './simulated-debounce.ts';
import { drawLeaseRules, type LeaseHolds, SimulatedLeases } from './simulated-leases.ts';
import { drawScheduleRules, SimulatedSchedules } from './simulated-schedules.ts';
import type { SimulatedKind } from './simulated-kind.ts';

export type Subject =
  | { readonly kind: 'session' }
  | { readonly kind: 'lease'; readonly rules: LeaseRules }
  | { readonly kind: 'debounce'; readonly rules: DebounceSubject }
  | { readonly kind: 'schedule'; readonly rules: ScheduleRules };

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
      return { kind, rules: drawScheduleRules(random) };
  }
}

/** undefined: sessions, which the oracle judges commit by commit. */
export function simulatedKind(
  simulation: Simulation,
  { subject, heldTime, stormMs }: { readonly subject: Subject; readonly stormMs: number } & LeaseHolds,
): SimulatedKind | undefined {
  switch (subject.kind) {
    case 'session':
      return undefined;
    case 'lease':
      return new SimulatedLeases(simulation, subject.rules, heldTime);
    case 'debounce':
      return new SimulatedDebounce(subject.rules);
    case 'schedule':
      return new SimulatedSchedules(simulation, subject.rules, stormMs);
  }
}
