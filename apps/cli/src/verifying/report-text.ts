import { count, counted } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import {
  type DelaySummary,
  MISPLACED_KNOWN_MAX,
  type MisplacedKeys,
  type SettingsDifference,
  type VerificationReport,
  type Violation,
} from '@flatline/oracle';
import { printable } from '../terminal/printable.ts';

/** Upper bound on the violations shown: one defect shows in many. */
const SHOWN_MAX = 20;

/**
 * A human-readable report: the verdict, what was looked at, and each violation with its rule and place. `isNotified`: its
 * deliveries were looked at, too (V10).
 */
export function reportText(
  { name, kind }: Pick<PipelineConfig, 'name' | 'kind'>,
  report: VerificationReport,
  isNotified = false,
): string {
  const { violations, violationCount, records, misplacedKeys, undecided, undecidedCount } = report;
  const shown = violations.slice(0, SHOWN_MAX);
  const hidden = violationCount - shown.length;
  const unlisted = undecidedCount - undecided.length;
  const [what, opened, closed] = KIND_WORDS[kind].lives;
  return [
    `${name}: ${verdictOf(report)}`,
    `  records    ${count(records.input)} input, ${count(records.changelog)} changelog, ${count(records.output)} output; ${counted(report.commits, 'commit')}`,
    `  ${what.padEnd(10)} ${count(report.incarnations)} ${opened}, ${count(report.closed)} ${closed}, ${count(report.open)} open`,
    ...(isNotified ? [deliveryLine(report)] : []),
    ...delayLines(report),
    `  reached    ${reachText(report)}`,
    ...misplacedLines(misplacedKeys),
    ...report.settingsDiffer.map(differenceText),
    ...undecided.map((each) => `  undecided  ${each}`),
    ...(unlisted > 0 ? [`  undecided  and ${count(unlisted)} more`] : []),
    ...shown.map((violation) => `  ${violationText(violation)}`),
    ...(hidden > 0 ? [`  and ${count(hidden)} more; --json has the first ${count(violations.length)}`] : []),
  ].join('\n');
}

function deliveryLine({ reach: { deliveriesKept: kept, deliveriesGivenUp: givenUp } }: VerificationReport): string {
  return `  deliveries ${count(kept)} kept, ${count(givenUp)} given up; what is delivered at once leaves no record`;
}

/** Lists the delays by cause: time that a close waited for something besides its commit is no delay of closing. */
function delayLines({ delaysByCauseMs: { caughtUp, backlog, unproved } }: VerificationReport): string[] {
  const late = ({ count: closes, max }: DelaySummary, what: string): string[] =>
    closes === 0 ? [] : [`  late       ${counted(closes, 'close')} ${what}: most ${max!} ms from deadline to commit`];
  return [
    ...(caughtUp.count === 0
      ? []
      : [
          `  delay      p50 ${caughtUp.p50!} ms, p99 ${caughtUp.p99!} ms, most ${caughtUp.max!} ms from deadline to commit`,
        ]),
    ...late(backlog, 'made from a backlog'),
    ...late(unproved, 'behind a gap in the input (brokers out, or no processor to prove the silence)'),
  ];
}

function misplacedLines({ count: keys, example }: MisplacedKeys): string[] {
  if (example === undefined) return [];
  const { key, partition, belongsTo, offset } = example;
  const many = keys === MISPLACED_KNOWN_MAX ? `${count(keys)} keys or more` : counted(keys, 'key');
  return [
    printable(
      `  misplaced  ${many} in another partition than murmur2 gives them, such as ${key}: at offset ${offset} of partition ${partition}, ` +
        `its own is ${belongsTo}. Where other clients send it there, it lives twice (I9)`,
    ),
    '             set partitioner=murmur2_random in clients of librdkafka; if producers choose otherwise on purpose, input.partitioner to any',
  ];
}

function differenceText({ setting, inForce, inFile, partitions, partition }: SettingsDifference): string {
  const where = partitions === 1 ? `partition ${partition}` : counted(partitions, 'partition');
  return printable(
    `  settings   ${setting} is ${JSON.stringify(inForce)} in force, as the last commits say (${where}), and ${JSON.stringify(inFile)} in the file: ` +
      'it takes effect once the processor is started again and commits',
  );
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
