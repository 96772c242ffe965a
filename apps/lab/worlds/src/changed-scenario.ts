// Worlds in which a restarted process may have other settings than its predecessor.
import type { Random } from '@flatline/base';
import { drawInput, drawMaxDuration, drawTimeout, type Scenario } from './scenario.ts';

/** Drawn from a random of its own. Most worlds state their settings, as every processor does that writes the newest format (K9). */
export function drawSettings(random: Random, scenario: Scenario): Scenario['settings'] {
  const draw = random.below(10);
  if (draw < 3) return 'unsaid';
  return draw < 6 || !mayChange(scenario) ? 'said' : 'change';
}

/** The same world by other settings, as a rollout may bring them. */
export function changedScenario(scenario: Scenario, random: Random): Scenario {
  const timeoutMs = drawTimeout(random);
  const maxDurationMs = drawMaxDuration(random, timeoutMs);
  const subject = scenario.subject.changed(random);
  const tombstones = random.chance(0.5);
  const furtherInputs = scenario.furtherInputs.map(({ topic, timestampType }) =>
    drawInput(random, topic, timestampType),
  );
  return { ...scenario, timeoutMs, maxDurationMs, tombstones, subject, furtherInputs };
}

/**
 * False where evidence is in no log, the changelog has lost commits, or a world is folded by its input alone: no judge could tell
 * which settings were in force.
 */
function mayChange(scenario: Scenario): boolean {
  const { proof, losesChangelog, subject } = scenario;
  return proof !== 'fetch' && !losesChangelog && subject.mayChange(scenario);
}
