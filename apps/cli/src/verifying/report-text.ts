import { count, counted } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import type { VerificationReport, Violation } from '@flatline/oracle';
import { printable } from '../terminal/printable.ts';

/** Upper bound on the violations shown: one defect shows in many. */
const SHOWN_MAX = 20;

/** What a pipeline of each kind has opened, and closed once and as the input says. */
const LIVES: Readonly<Record<PipelineConfig['kind'], readonly [what: string, opened: string, closed: string]>> = {
  session: ['sessions', 'opened', 'closed once and as the input says'],
  lease: ['leases', 'granted', 'ended once and as the input says'],
  debounce: ['windows', 'opened', 'fired once and as the input says'],
  schedule: ['schedules', 'made', 'runs made once and as the input says'],
};

/** A human-readable report: the verdict, what was looked at, and each violation with its rule and place. */
export function reportText({ name, kind }: Pick<PipelineConfig, 'name' | 'kind'>, report: VerificationReport): string {
  const { violations, violationCount, records, delaysMs, undecided, undecidedCount } = report;
  const shown = violations.slice(0, SHOWN_MAX);
  const hidden = violationCount - shown.length;
  const unlisted = undecidedCount - undecided.length;
  const [what, opened, closed] = LIVES[kind];
  return [
    `${name}: ${verdictOf(report)}`,
    `  records    ${count(records.input)} input, ${count(records.changelog)} changelog, ${count(records.output)} output; ${counted(report.commits, 'commit')}`,
    `  ${what.padEnd(10)} ${count(report.incarnations)} ${opened}, ${count(report.closed)} ${closed}, ${count(report.open)} open`,
    ...(delaysMs.count === 0
      ? []
      : [
          `  delay      p50 ${delaysMs.p50!} ms, p99 ${delaysMs.p99!} ms, most ${delaysMs.max!} ms from deadline to commit`,
        ]),
    `  reached    ${reachText(report)}`,
    ...undecided.map((each) => `  undecided  ${each}`),
    ...(unlisted > 0 ? [`  undecided  and ${count(unlisted)} more`] : []),
    ...shown.map((violation) => `  ${violationText(violation)}`),
    ...(hidden > 0 ? [`  and ${count(hidden)} more; --json has the first ${count(violations.length)}`] : []),
  ].join('\n');
}

function verdictOf({ violationCount, undecidedCount }: VerificationReport): string {
  const found = violationCount === 0 ? 'no violation' : counted(violationCount, 'violation');
  return undecidedCount === 0 ? found : `${found}, ${count(undecidedCount)} undecided`;
}

function reachText({ reach }: VerificationReport): string {
  return Object.entries(reach)
    .filter(([, value]) => Number(value) > 0)
    .map(([name, value]) => `${name} ${count(Number(value))}`)
    .join(', ');
}

function violationText({ rule, topic, partition, offset, key, what }: Violation): string {
  const log = partition === undefined ? topic : `${topic}-${partition}`;
  const place = [
    log,
    ...(offset === undefined ? [] : [`offset ${offset}`]),
    ...(key === undefined ? [] : [`key ${key}`]),
  ];
  return printable(`${rule.padEnd(3)} ${place.join(' ')}: ${what}`);
}
