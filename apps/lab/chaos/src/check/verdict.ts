// The outputs and the ledger of one application against the naive fold of its input (V1–V4, V9, X3, I1).
import type { OutputRecord, SummaryRecord } from '@flatline/client';
import type { LogRecord } from '../stage/topic-dump.ts';
import type { Expectation, ExpectedClose } from './expectation.ts';

export interface Violation {
  readonly rule: string;
  readonly subject: string;
  readonly detail: string;
}

/** What is compared, all of it committed. */
export interface Evidence {
  readonly folded: readonly Expectation[];
  /** By partition: what is due before this offset must have been closed (V2). */
  readonly sentinels: readonly number[];
  readonly input: readonly (readonly LogRecord[])[];
  readonly outputs: readonly OutputRecord[];
  readonly deadLetters: readonly (readonly LogRecord[])[];
  readonly ledger: readonly LedgerLine[];
  /** The processors' wall clocks, which stamp the outputs, are the broker's: on one machine, unless they are made wrong. */
  readonly stampsAreTrue: boolean;
  /** Stamps ahead of it have moved the clock as far as the present allowed, which no log tells (C6): of explicit ends, too. */
  readonly presentDecides: boolean;
}

/** A line of `simulate --ledger`: counts are of acknowledged records. */
export interface LedgerLine {
  readonly sessionId: string;
  readonly acknowledged: number;
  readonly duplicates: number;
  readonly ended: 'silence' | 'null' | 'event' | 'cutOff';
}

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly closes: number;
  readonly records: number;
  /** Deadline to append time of the summary, of closes by silence, ascending. */
  readonly closeDelaysMs: readonly number[];
}

export function judge(evidence: Evidence): Verdict {
  const expected = new Map(
    evidence.folded.flatMap(({ closes }) => closes.map((close) => [close.incarnation, close] as const)),
  );
  const summaries = evidence.outputs.filter((record) => record.kind === 'summary');
  const violations = [
    ...doubles(evidence.outputs),
    ...missing(evidence, new Set(summaries.map(({ summary }) => summary.incarnation))),
    ...summaries.flatMap((record) => differences(record, expected.get(record.summary.incarnation), evidence)),
    ...(evidence.stampsAreTrue ? summaries.flatMap(tooEarly) : []),
    ...lostRecords(evidence),
    ...deadLetterFaults(evidence),
  ];
  const closeDelaysMs = summaries
    .filter(({ summary }) => evidence.stampsAreTrue && summary.reason === 'TIMEOUT')
    .map(({ timestamp, summary }) => timestamp - summary.deadlineAt)
    .sort((a, b) => a - b);
  const records = evidence.input.reduce((sum, partition) => sum + partition.length, 0);
  return { violations, closes: summaries.length, records, closeDelaysMs };
}

/** V1, V11, O2: one summary and then one tombstone per incarnation, and nothing else. */
function doubles(outputs: readonly OutputRecord[]): Violation[] {
  const violations: Violation[] = [];
  const closed = new Set<string>();
  const buried = new Set<string>();
  for (const output of outputs) {
    const subject = `${output.partition}/${output.offset}`;
    const say = (rule: string, detail: string): number => violations.push({ rule, subject, detail });
    if (output.kind === 'unreadable') say('O1', `unreadable output: ${output.reason} ${output.detail}`);
    else if (output.kind === 'summary') {
      const { incarnation } = output.summary;
      if (closed.has(incarnation)) say('V1', `${incarnation} is closed a second time`);
      closed.add(incarnation);
    } else {
      const incarnation = output.incarnation ?? '';
      if (!closed.has(incarnation)) say('O2', `tombstone of ${incarnation} before its summary`);
      if (buried.has(incarnation)) say('O2', `${incarnation} has a second tombstone`);
      buried.add(incarnation);
    }
  }
  for (const incarnation of closed)
    if (!buried.has(incarnation)) violations.push({ rule: 'O2', subject: incarnation, detail: 'has no tombstone' });
  return violations;
}

/** V2. */
function missing({ folded, sentinels }: Evidence, closed: ReadonlySet<string>): Violation[] {
  return folded.flatMap(({ closes }, partition) =>
    closes
      .filter(({ incarnation, provenBy }) => provenBy <= sentinels[partition]! && !closed.has(incarnation))
      .map(({ incarnation, key, deadlineAt }) => ({
        rule: 'V2',
        subject: incarnation,
        detail: `${key} was due at ${deadlineAt} and has not been closed`,
      })),
  );
}

/** V3 where the log has no such close, V4 where it differs. */
function differences(
  { summary }: SummaryRecord,
  expected: ExpectedClose | undefined,
  { presentDecides }: Evidence,
): Violation[] {
  const subject = summary.incarnation;
  const key = Buffer.from(summary.key).toString('latin1');
  if (expected === undefined)
    return [{ rule: 'V3', subject, detail: `${key} was closed (${summary.reason}), which the log does not show` }];
  const violations: Violation[] = [];
  for (const field of comparedFields) {
    const wanted = expected.summary[field];
    if (summary[field] === wanted || (presentDecides && field === 'closedAt')) continue;
    violations.push({ rule: 'V4', subject, detail: `${field} is ${summary[field]}, in the log ${String(wanted)}` });
  }
  if (key !== expected.key)
    violations.push({ rule: 'V4', subject, detail: `key is ${key}, in the log ${expected.key}` });
  return violations;
}

/** V3. */
function tooEarly({ summary, timestamp }: SummaryRecord): Violation[] {
  const { incarnation, reason, deadlineAt } = summary;
  if (reason !== 'TIMEOUT' || timestamp >= deadlineAt) return [];
  return [{ rule: 'V3', subject: incarnation, detail: `closed ${deadlineAt - timestamp} ms before its deadline` }];
}

const comparedFields = [
  'reason',
  'eventCount',
  'duplicateCount',
  'outOfOrderCount',
  'missingCount',
  'truncated',
  'firstOffset',
  'lastOffset',
  'startedAt',
  'endedAt',
  'lastSeenAt',
  'durationMs',
  'deadlineAt',
  'closedAt',
] as const;

/** X3: what was acknowledged is in the log. */
function lostRecords({ input, ledger }: Evidence): Violation[] {
  const counts = new Map<string, number>();
  for (const partition of input)
    for (const { key } of partition) if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  return ledger.flatMap(({ sessionId, acknowledged, duplicates, ended }) => {
    const owed = acknowledged + duplicates + (ended === 'null' || ended === 'event' ? 1 : 0);
    const found = counts.get(sessionId) ?? 0;
    if (found === owed || (ended === 'cutOff' && found > owed)) return [];
    return [{ rule: 'X3', subject: sessionId, detail: `${owed} records acknowledged, ${found} in the log` }];
  });
}

/** I1: each refused record once, and no other. */
function deadLetterFaults({ folded, deadLetters }: Evidence): Violation[] {
  return folded.flatMap((partition, number) => {
    const found = new Map<string, number>();
    for (const { headers } of deadLetters[number]!) {
      const offset = headers.get('flatline-offset') ?? '?';
      found.set(offset, (found.get(offset) ?? 0) + 1);
    }
    const violations: Violation[] = [];
    for (const offset of partition.deadLetters) {
      const times = found.get(String(offset)) ?? 0;
      if (times !== 1)
        violations.push({ rule: 'I1', subject: `${number}/${offset}`, detail: `is a dead letter ${times} times` });
      found.delete(String(offset));
    }
    for (const offset of found.keys())
      violations.push({ rule: 'I1', subject: `${number}/${offset}`, detail: 'is a dead letter, but was sound' });
    return violations;
  });
}
