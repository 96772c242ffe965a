import { count, counted } from '@flatline/base';
import type { VerificationReport, Violation } from '@flatline/oracle';
import { printable } from '../terminal/printable.ts';

/** Upper bound on the violations shown: one defect shows in many. */
const SHOWN_MAX = 20;

/** A human-readable report: the verdict, what was looked at, and each violation with its rule and place. */
export function reportText(pipeline: string, report: VerificationReport): string {
  const { violations, violationCount, records, delaysMs, undecided, undecidedCount } = report;
  const shown = violations.slice(0, SHOWN_MAX);
  const hidden = violationCount - shown.length;
  const unlisted = undecidedCount - undecided.length;
  return [
    `${pipeline}: ${verdictOf(report)}`,
    `  records    ${count(records.input)} input, ${count(records.changelog)} changelog, ${count(records.output)} output; ${counted(report.commits, 'commit')}`,
    `  sessions   ${count(report.incarnations)} opened, ${count(report.closed)} closed once and as the input says, ${count(report.open)} open`,
    ...(delaysMs.count === 0
      ? []
      : [
          `  delay      p50 ${delaysMs.p50!} ms, p99 ${delaysMs.p99!} ms, most ${delaysMs.max!} ms from deadline to commit`,
        ]),
    `  reached    ${reachText(report)}`,
    ...undecided.map((what) => `  undecided  ${what}`),
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
