// Results of a campaign, as JSON for machines and Markdown for readers. Pure.
import { outcomeOf, type TrialResult, type Scenario } from './scenario.ts';

export interface ScenarioTrials {
  readonly scenario: Scenario;
  readonly results: readonly TrialResult[];
  /** Trials that did not get to their end, with the error. */
  readonly broken: readonly string[];
  readonly durationMs: number;
}

export interface CampaignFacts {
  readonly command: string;
  readonly seed: number;
  readonly commit: string;
  readonly machine: string;
  readonly broker: string;
  readonly startedAt: string;
  /** Load averages of 1, 5 and 15 minutes at the end: other load shows in every time. */
  readonly load: string;
  readonly durationMs: number;
  readonly unsafe: string | undefined;
}

export interface ScenarioSummary {
  readonly id: string;
  readonly title: string;
  readonly skipped: string | undefined;
  readonly trials: number;
  readonly passed: number;
  readonly invalid: number;
  readonly violated: number;
  readonly broken: readonly string[];
  readonly faultsArmed: number;
  readonly faultsFired: number;
  readonly violations: number;
  readonly firstViolations: readonly string[];
  readonly recoveryMs: { readonly p50: number; readonly max: number; readonly measured: number } | undefined;
  readonly records: number;
  readonly closes: number;
  readonly closeDelayMaxMs: number | undefined;
  readonly durationMs: number;
  readonly variants: readonly string[];
}

const VIOLATIONS_SHOWN_MAX = 10;

/** Merges portions of one scenario, in the order in which the scenarios came first. */
export function joined(portions: readonly ScenarioTrials[]): readonly ScenarioTrials[] {
  return [...Map.groupBy(portions, ({ scenario }) => scenario.id).values()].map((same) => ({
    scenario: same[0]!.scenario,
    results: same.flatMap(({ results }) => results),
    broken: same.flatMap(({ broken }) => broken),
    durationMs: same.reduce((sum, { durationMs }) => sum + durationMs, 0),
  }));
}

export function summarize({ scenario, results, broken, durationMs }: ScenarioTrials): ScenarioSummary {
  const outcomes = results.map(outcomeOf);
  const count = (wanted: string): number => outcomes.filter((outcome) => outcome === wanted).length;
  const sum = (of: (result: TrialResult) => number): number => results.reduce((total, each) => total + of(each), 0);
  const recovered = results.flatMap(({ recoveriesMs }) => recoveriesMs).sort((a, b) => a - b);
  const delays = results.flatMap(({ closeDelayMaxMs }) => closeDelayMaxMs ?? []);
  const violations = results.flatMap((result) => result.violations.map((each) => ({ ...each, in: result.variant })));
  return {
    id: scenario.id,
    title: scenario.title,
    skipped: scenario.skipped,
    trials: results.length + broken.length,
    passed: count('passed'),
    invalid: count('invalid'),
    violated: count('violated'),
    broken,
    faultsArmed: sum(({ armed }) => armed),
    faultsFired: sum(({ fired }) => fired),
    violations: violations.length,
    firstViolations: violations
      .slice(0, VIOLATIONS_SHOWN_MAX)
      .map(({ rule, subject, detail, in: variant }) => `${variant}: ${rule} ${subject}: ${detail}`),
    recoveryMs:
      recovered.length === 0
        ? undefined
        : { p50: recovered[recovered.length >> 1]!, max: recovered.at(-1)!, measured: recovered.length },
    records: sum(({ records }) => records),
    closes: sum(({ closes }) => closes),
    closeDelayMaxMs: delays.length === 0 ? undefined : Math.max(...delays),
    durationMs,
    variants: results.map(
      (result) =>
        `${result.variant}: ${outcomeOf(result)}, ${result.fired}/${result.armed} faults, ${result.closes} closes${factsText(result)}`,
    ),
  };
}

/** True only if every trial was valid and nothing was violated. */
export function isGreen({ skipped, trials, passed }: ScenarioSummary): boolean {
  return skipped !== undefined || (trials > 0 && passed === trials);
}

export function markdown(facts: CampaignFacts, summaries: readonly ScenarioSummary[]): string {
  const sorted = [...summaries].sort((a, b) => numberOf(a) - numberOf(b) || a.id.length - b.id.length);
  const ran = sorted.filter(({ skipped }) => skipped === undefined);
  const left = sorted.filter(({ skipped }) => skipped !== undefined);
  return [
    '# Faults on a real broker',
    '',
    `- Command: \`${facts.command}\``,
    `- Seed: ${facts.seed}; commit: ${facts.commit}; begun ${facts.startedAt}, ${minutes(facts.durationMs)} min`,
    `- Machine: ${facts.machine}; load average at the end ${facts.load}`,
    `- Broker: ${facts.broker}`,
    ...(facts.unsafe === undefined ? [] : [`- **Without a guard: ${facts.unsafe}.** Violations are what it shows.`]),
    '',
    'A trial whose faults did not all happen is invalid, not green.',
    '',
    '| # | scenario | trials | green | invalid | red | broken | faults fired / armed | violations | recovery p50 / max | closes | latest close after its deadline | min |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...ran.map(row),
    '',
    ...(left.length === 0
      ? []
      : ['Skipped:', '', ...left.map(({ id, title, skipped }) => `- ${id}, ${title}: ${skipped}`), '']),
    ...ran.flatMap(details),
  ].join('\n');
}

/** `F2b` → 2; without a number: last. */
const numberOf = ({ id }: ScenarioSummary): number => Number(/\d+/.exec(id)?.[0] ?? 99);

function row(summary: ScenarioSummary): string {
  const { recoveryMs, closeDelayMaxMs, broken } = summary;
  const recovery =
    recoveryMs === undefined
      ? '–'
      : `${seconds(recoveryMs.p50)} / ${seconds(recoveryMs.max)} s (${recoveryMs.measured})`;
  const cells = [
    summary.id,
    summary.title,
    summary.trials,
    summary.passed,
    summary.invalid,
    summary.violated,
    broken.length,
    `${summary.faultsFired} / ${summary.faultsArmed}`,
    summary.violations,
    recovery,
    summary.closes,
    closeDelayMaxMs === undefined ? '–' : `${seconds(closeDelayMaxMs)} s`,
    minutes(summary.durationMs),
  ];
  return `| ${cells.join(' | ')} |`;
}

function details({ id, variants, broken, firstViolations }: ScenarioSummary): string[] {
  return [
    `## ${id}`,
    '',
    ...variants.map((variant) => `- ${variant}`),
    ...broken.map((error) => `- broken: ${error}`),
    ...(firstViolations.length === 0 ? [] : ['', 'Violations:', '', ...firstViolations.map((each) => `- ${each}`)]),
    '',
  ];
}

function factsText({ facts }: TrialResult): string {
  return Object.entries(facts)
    .map(([name, value]) => `, ${name} ${value}`)
    .join('');
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
const minutes = (ms: number): string => (ms / 60_000).toFixed(1);
