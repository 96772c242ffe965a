// Expected closes of an input partition, by the oracle's fold, each with the record that shows that it is due.
import { type Folded, type FoldedSummary, foldInput, type InputRecord, inputRecord, jsonEvent } from '@flatline/oracle';
import type { LogRecord } from '../stage/topic-dump.ts';

/** A session that has closed, as its summary must describe it. */
export interface ExpectedClose {
  readonly incarnation: string;
  readonly key: string;
  readonly deadlineAt: number;
  readonly summary: FoldedSummary;
  /** Offset of the first record that shows that it has closed. */
  readonly provenBy: number;
}

export interface Expectation {
  readonly closes: readonly ExpectedClose[];
  /** Offsets of records that must be in the dead-letter topic. */
  readonly deadLetters: readonly number[];
}

/** `stamp`: for its timestamp, which then moves no clock; `content`: for what it says. */
export type Refusal = 'stamp' | 'content' | undefined;

export interface ExpectationRules {
  readonly timeoutMs: number;
  readonly byArrival: boolean;
  /** Whether the generator meant the record to be refused. */
  readonly refusalOf: (record: LogRecord) => Refusal;
  /** Default: every stamp that is not refused. */
  readonly movesClock?: ((record: LogRecord) => boolean) | undefined;
}

/** The defaults of the configuration. */
const usual = {
  minTimeoutMs: 1,
  maxTimeoutMs: 31_536_000_000,
  maxDurationMs: undefined,
  dedupeEventIds: 16,
  maxAttributes: 64,
  maxAttributeBytes: 8_192,
  maxKeyBytes: 512,
  unheardMs: 0,
  maxHoldMs: 0,
} as const;

/** @param records of a whole partition, in offset order */
export function expectationOf(records: readonly LogRecord[], partition: number, rules: ExpectationRules): Expectation {
  const byOffset = new Map(records.map((record) => [record.offset, record]));
  const { timeoutMs, byArrival, refusalOf, movesClock = () => true } = rules;
  const timestampType = byArrival ? 'LogAppendTime' : 'CreateTime';
  const folded = foldInput(
    records.map((record) => inputOf(record, byArrival)),
    {
      partition,
      rules: { ...usual, timeoutMs, timestampType },
      refusalOf: ({ offset }) => refusalOf(byOffset.get(offset)!),
      movesClock: ({ offset }) => movesClock(byOffset.get(offset)!),
    },
  );
  const closes = folded.summaries.map((summary) => ({
    incarnation: summary.incarnation,
    key: keyOf(summary, byOffset),
    summary,
    deadlineAt: summary['deadlineAt'] as number,
    provenBy: proofOf(summary, folded),
  }));
  return { closes, deadLetters: folded.refused };
}

function keyOf(summary: FoldedSummary, byOffset: ReadonlyMap<number, LogRecord>): string {
  return byOffset.get(summary['firstOffset'] as number)?.key ?? '';
}

/** An explicit end shows itself; silence is shown by the first record at or past the instant at which it closes. */
function proofOf(summary: FoldedSummary, { steps }: Folded): number {
  const lastOffset = summary['lastOffset'] as number;
  if (summary['reason'] === 'ENDED') return lastOffset;
  const closedAt = summary['closedAt'] as number;
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle]!.clock >= closedAt) high = middle;
    else low = middle + 1;
  }
  return Math.max(lastOffset, steps[low]!.offset);
}

function inputOf({ offset, timestamp, key, value, headers }: LogRecord, logAppendTime: boolean): InputRecord {
  const raw = {
    offset,
    timestamp,
    logAppendTime,
    value,
    key: key === null ? null : Buffer.from(key, 'latin1'),
    headers: [...headers].map(([name, text]) => ({ name, value: Buffer.from(text, 'latin1') })),
  };
  return inputRecord(raw, jsonEvent);
}
