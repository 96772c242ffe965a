// Runs scenarios one after another, one broker at a time.
import { randomBytes } from 'node:crypto';
import { type Guard, seededRandom } from '@flatline/base';
import { type RunningBroker, startBroker } from '@flatline/dev-broker';
import type { ScenarioRuns } from './report.ts';
import { outcomeOf, type RunResult, type Scenario } from './scenario.ts';
import { removeApplicationFolders } from './stage/application.ts';
import { killAllChildren } from './stage/child.ts';

export interface CampaignPlan {
  readonly scenarios: readonly Scenario[];
  readonly runsOf: (scenario: Scenario) => number;
  /** Number of the first run, from 1: run n has the nth kind of fault and seed + n − 1. */
  readonly first: number;
  readonly seed: number;
  readonly short: boolean;
  /** Per run, of scenarios that count them. */
  readonly faults: number | undefined;
  readonly unsafe: Guard | undefined;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
  /** Told after each scenario, so that what was shown is kept if the rest is not. */
  readonly onProgress?: (soFar: readonly ScenarioRuns[]) => void;
}

/** Quorums of a node that was killed are settled sooner; nothing else differs from what `flatline broker start` starts. */
const properties = { 'broker.session.timeout.ms': 3_000, 'broker.heartbeat.interval.ms': 500 };

export async function runCampaign(plan: CampaignPlan): Promise<ScenarioRuns[]> {
  const all: ScenarioRuns[] = [];
  let broker: RunningBroker | undefined;
  try {
    for (const scenario of plan.scenarios) {
      if (scenario.skipped !== undefined) {
        all.push({ scenario, results: [], broken: [], durationMs: 0 });
        continue;
      }
      if (broker !== undefined && broker.nodes.length !== scenario.nodes) {
        await broker.stop();
        broker = undefined;
      }
      broker ??= await startBroker({ nodes: scenario.nodes, ephemeral: true, properties, signal: plan.signal });
      all.push(await runScenario(plan, scenario, broker));
      plan.onProgress?.(all);
    }
    return all;
  } finally {
    await killAllChildren();
    await broker?.stop();
  }
}

/** All runs of one scenario, on a broker that is there. */
export async function runScenario(
  plan: Omit<CampaignPlan, 'scenarios'>,
  scenario: Scenario,
  broker: RunningBroker,
): Promise<ScenarioRuns> {
  const since = performance.now();
  const results: RunResult[] = [];
  const broken: string[] = [];
  const runs = plan.runsOf(scenario);
  const from = plan.first - 1;
  for (let index = from; index < from + runs && !plan.signal.aborted; index += 1) {
    const seed = plan.seed + index;
    const begun = performance.now();
    const said = (text: string): void => {
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      plan.log(`${scenario.id} run ${index + 1} of ${from + runs}, seed ${seed} (${seconds} s): ${text}`);
    };
    try {
      const name = `chaos-${randomBytes(4).toString('hex')}`;
      const random = seededRandom(seed);
      const { short, unsafe, faults } = plan;
      const result = await scenario.run({ index, seed, random, broker, name, short, unsafe, faults });
      results.push(result);
      said(describe(result));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      broken.push(`run ${index + 1}, seed ${seed}: ${text}`);
      said(`broken: ${error instanceof Error ? (error.stack ?? text) : text}`);
    }
    await killAllChildren();
    removeApplicationFolders();
  }
  return { scenario, results, broken, durationMs: performance.now() - since };
}

function describe(result: RunResult): string {
  const { variant, fired, armed, closes, violations, recoveriesMs, facts } = result;
  const first = violations.slice(0, 3).map(({ rule, subject, detail }) => `\n    ${rule} ${subject}: ${detail}`);
  const recovery = recoveriesMs.length === 0 ? '' : `, recovered in ≤ ${Math.max(...recoveriesMs)} ms`;
  const more = Object.entries(facts).map(([name, value]) => `, ${name} ${value}`);
  return (
    `${outcomeOf(result)}: ${variant}; ${fired}/${armed} faults, ${closes} closes, ` +
    `${violations.length} violations${recovery}${more.join('')}${first.join('')}`
  );
}
