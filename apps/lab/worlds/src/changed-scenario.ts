// Worlds in which a process that is started may have other settings than the one before.
import type { Random } from '@flatline/base';
import { drawScheduleRules } from './kinds/simulated-schedules.ts';
import { drawDebounceRules } from './kinds/simulated-debounce.ts';
import { drawLeaseRules, hasContenders } from './kinds/simulated-leases.ts';
import type { Subject } from './kinds/subject.ts';
import { drawMaxDuration, drawTimeout, type Scenario } from './scenario.ts';

/** Drawn from a random of its own. Most worlds say their settings, as every processor does that writes the newest format (K9). */
export function drawSettings(random: Random, scenario: Scenario): Scenario['settings'] {
  const draw = random.below(10);
  if (draw < 3) return 'unsaid';
  return draw < 6 || !mayChange(scenario) ? 'said' : 'change';
}

/** The same world by other settings, as a configuration may have them that is rolled out in it. */
export function changedScenario(scenario: Scenario, random: Random): Scenario {
  const timeoutMs = drawTimeout(random);
  const maxDurationMs = drawMaxDuration(random, timeoutMs);
  const subject = changedSubject(scenario.subject, random);
  return { ...scenario, timeoutMs, maxDurationMs, tombstones: random.chance(0.5), subject };
}

/**
 * Which settings were in force where evidence is in no log, the changelog has lost commits, or a world is folded by its input
 * alone, no judge could say. Holders that are judged themselves count on what they were granted by one set of rules.
 */
function mayChange({ proof, losesChangelog, subject, timestampType }: Scenario): boolean {
  if (proof === 'fetch' || losesChangelog) return false;
  if (subject.kind === 'lease') return !hasContenders(subject.rules, { timestampType });
  return subject.kind !== 'schedule' || subject.maxDuePerSecond === undefined;
}

function changedSubject(subject: Subject, random: Random): Subject {
  switch (subject.kind) {
    case 'session':
      return subject;
    case 'lease':
      // It never falls (L3).
      return { ...subject, rules: { ...drawLeaseRules(random), tokenEpoch: subject.rules.tokenEpoch } };
    case 'debounce':
      // What is open has to fit into what may be written of it.
      return { ...subject, rules: { ...drawDebounceRules(random), batchBytesMax: subject.rules.batchBytesMax } };
    case 'schedule':
      return { ...subject, rules: drawScheduleRules(random) };
  }
}
