// Runs scenarios one after another, one broker at a time.
import { randomBytes } from 'node:crypto';
import { messageOf, seededRandom } from '@flatline/base';
import { type RunningBroker, startBroker } from '@flatline/dev-broker';
import { KIND_LABS } from '@flatline/lab-kinds';
import type { ScenarioTrials } from './report.ts';
import { outcomeOf, type TrialResult, type Scenario } from './scenario.ts';
import { removeApplicationFolders } from './stage/application.ts';
import { killAllChildren } from './stage/child.ts';
import type { Guard } from './stage/guards.ts';

/** Some trials of one scenario. */
export interface Portion {
  readonly scenario: Scenario;
  readonly trials: number;
  /** Number of the first trial, from 1: trial n has the nth kind of fault and seed + n − 1. */
  readonly first: number;
  readonly seed: number;
  /** Per trial, for scenarios that count them. */
  readonly faults: number | undefined;
}

export interface CampaignPlan {
  readonly portions: readonly Portion[];
  readonly short: boolean;
  /** For scenarios whose length can be chosen. */
  readonly minutes: number | undefined;
  readonly unsafe: Guard | undefined;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
  /** Told after each portion, so that the results so far are kept if the rest fails. */
  readonly onProgress?: (soFar: readonly ScenarioTrials[]) => void;
}

/** So that a killed node is missed sooner; the only difference from `flatline broker start`. */
const properties = { 'broker.session.timeout.ms': 3_000, 'broker.heartbeat.interval.ms': 500 };

export async function runCampaign(plan: CampaignPlan): Promise<ScenarioTrials[]> {
  const all: ScenarioTrials[] = [];
  let broker: RunningBroker | undefined;
  try {
    for (const portion of plan.portions) {
      const { scenario } = portion;
      if (plan.signal.aborted) break;
      if (scenario.skipped !== undefined) {
        all.push({ scenario, results: [], broken: [], durationMs: 0 });
        continue;
      }
      if (broker !== undefined && broker.nodes.length !== scenario.nodes) {
        await broker.stop();
        broker = undefined;
      }
      broker ??= await startBroker({
        nodes: scenario.nodes,
        ephemeral: true,
        properties,
        signal: plan.signal,
        isolatable: scenario.nodes === 3,
      });
      all.push(await runPortion(plan, portion, broker));
      plan.onProgress?.(all);
    }
    return all;
  } finally {
    await killAllChildren();
    await broker?.stop();
  }
}

/** Runs on an existing broker. */
export async function runPortion(
  plan: Omit<CampaignPlan, 'portions'>,
  { scenario, trials, first, seed: firstSeed, faults }: Portion,
  broker: RunningBroker,
): Promise<ScenarioTrials> {
  const since = performance.now();
  const results: TrialResult[] = [];
  const broken: string[] = [];
  const from = first - 1;
  for (let index = from; index < from + trials && !plan.signal.aborted; index += 1) {
    const seed = firstSeed + index;
    const begun = performance.now();
    const said = (text: string): void => {
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      plan.log(`${scenario.id} trial ${index + 1} of ${from + trials}, seed ${seed} (${seconds} s): ${text}`);
    };
    try {
      const name = `chaos-${randomBytes(4).toString('hex')}`;
      const random = seededRandom(seed);
      const { short, unsafe, minutes } = plan;
      const { traffic } = KIND_LABS.session;
      const result = await scenario.run({
        index,
        seed,
        random,
        broker,
        name,
        short,
        unsafe,
        faults,
        minutes,
        traffic,
      });
      results.push(result);
      said(describe(result));
    } catch (error) {
      const text = messageOf(error);
      broken.push(`trial ${index + 1}, seed ${seed}: ${text}`);
      said(`broken: ${error instanceof Error ? (error.stack ?? text) : text}`);
    }
    await killAllChildren();
    removeApplicationFolders();
  }
  return { scenario, results, broken, durationMs: performance.now() - since };
}

function describe(result: TrialResult): string {
  const { variant, fired, armed, closes, violations, recoveriesMs, facts } = result;
  const first = violations.slice(0, 3).map(({ rule, subject, detail }) => `\n    ${rule} ${subject}: ${detail}`);
  const recovery = recoveriesMs.length === 0 ? '' : `, recovered in ≤ ${Math.max(...recoveriesMs)} ms`;
  const more = Object.entries(facts).map(([name, value]) => `, ${name} ${value}`);
  return (
    `${outcomeOf(result)}: ${variant}; ${fired}/${armed} faults, ${closes} closes, ` +
    `${violations.length} violations${recovery}${more.join('')}${first.join('')}`
  );
}
