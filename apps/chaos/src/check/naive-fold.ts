// What must come out of an input partition, by the rules read as literally as can be: a map of keys, records one by one.
// It shares no code with the core, and knows a LogAppendTime input with bare heartbeats and JSON events.
import type { LogRecord } from '../stage/topic-dump.ts';

/** A session that has closed, as its summary must describe it. */
export interface ExpectedClose {
  readonly incarnation: string;
  readonly key: string;
  readonly reason: 'TIMEOUT' | 'ENDED';
  readonly eventCount: number;
  readonly duplicateCount: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly lastSeenAt: number;
  readonly deadlineAt: number;
  /** Offset of the first record that shows that it has closed. */
  readonly provenBy: number;
}

export interface FoldedPartition {
  readonly closes: readonly ExpectedClose[];
  /** Offsets of records that must be in the dead-letter topic. */
  readonly deadLetters: readonly number[];
}

export interface FoldRules {
  readonly timeoutMs: number;
  /** Whether the generator meant the record to be refused. */
  readonly isPoison: (record: LogRecord) => boolean;
}

interface Open {
  readonly key: string;
  readonly firstOffset: number;
  lastOffset: number;
  lastSeenAt: number;
  eventCount: number;
  duplicateCount: number;
  readonly sequences: Set<number>;
}

const clockHeader = 'flatline-clock';

interface Fold {
  readonly rules: FoldRules;
  readonly open: Map<string, Open>;
  readonly closes: ExpectedClose[];
  readonly deadLetters: number[];
  clock: number;
  /** Nobody is due before: a session's deadline only ever moves on. */
  quietUntil: number;
}

export function foldPartition(records: readonly LogRecord[], rules: FoldRules): FoldedPartition {
  const fold: Fold = { rules, open: new Map(), closes: [], deadLetters: [], clock: -Infinity, quietUntil: -Infinity };
  for (const record of records) {
    if (record.timestamp > fold.clock) {
      fold.clock = record.timestamp;
      closeDue(fold, record);
    }
    if (record.key === null && record.value?.length === 0 && record.headers.has(clockHeader)) continue;
    if (record.key === null || rules.isPoison(record)) fold.deadLetters.push(record.offset);
    else applyRecord(fold, record.key, record);
  }
  return { closes: fold.closes, deadLetters: fold.deadLetters };
}

/** A gap of exactly the timeout closes (S3). Every open session is looked at: slow, and beyond doubt. */
function closeDue(fold: Fold, record: LogRecord): void {
  if (fold.clock < fold.quietUntil) return;
  // Who opens from now on is due a timeout after this record at the earliest.
  fold.quietUntil = fold.clock + fold.rules.timeoutMs;
  for (const session of fold.open.values()) {
    const deadline = session.lastSeenAt + fold.rules.timeoutMs;
    if (fold.clock >= deadline) close(fold, session, 'TIMEOUT', record);
    else fold.quietUntil = Math.min(fold.quietUntil, deadline);
  }
}

function close(fold: Fold, session: Open, reason: ExpectedClose['reason'], by: LogRecord): void {
  const { key, firstOffset, lastOffset, lastSeenAt, eventCount, duplicateCount } = session;
  fold.open.delete(key);
  fold.closes.push({
    ...{ key, firstOffset, lastOffset, lastSeenAt, eventCount, duplicateCount },
    incarnation: `${by.partition}-${session.firstOffset}`,
    reason,
    deadlineAt: session.lastSeenAt + fold.rules.timeoutMs,
    provenBy: by.offset,
  });
}

function applyRecord(fold: Fold, key: string, record: LogRecord): void {
  const found = fold.open.get(key);
  const event = eventOf(record.value);
  if (event.ends && found === undefined) return;
  const session = found ?? openAt(fold, key, record);
  session.lastSeenAt = Math.max(session.lastSeenAt, fold.clock);
  session.lastOffset = record.offset;
  if (event.sequence !== undefined && session.sequences.has(event.sequence)) session.duplicateCount += 1;
  else session.eventCount += 1;
  if (event.sequence !== undefined) session.sequences.add(event.sequence);
  if (event.ends) close(fold, session, 'ENDED', record);
}

function openAt(fold: Fold, key: string, { offset }: LogRecord): Open {
  const session: Open = {
    ...{ key, firstOffset: offset, lastOffset: offset, lastSeenAt: fold.clock },
    ...{ eventCount: 0, duplicateCount: 0, sequences: new Set<number>() },
  };
  fold.open.set(key, session);
  return session;
}

function eventOf(value: Buffer | null): { readonly ends: boolean; readonly sequence: number | undefined } {
  if (value === null) return { ends: true, sequence: undefined };
  if (value.length === 0) return { ends: false, sequence: undefined };
  const { type, sequence } = JSON.parse(value.toString('utf8')) as { type?: string; sequence?: number };
  return { ends: type === 'ENDED', sequence };
}
