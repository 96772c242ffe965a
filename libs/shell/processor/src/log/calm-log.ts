// A log in which a warning that recurs is written once, and then summed up at growing intervals.
import type { Cancel, Clock, DurationMs } from '@flatline/base';
import type { RuntimeLog } from '@flatline/runtime';
import { SummaryPace } from './summary-pace.ts';

type Facts = Readonly<Record<string, unknown>>;

/** Silence after which a warning is over, and the next one is news. More than twice the longest pause between two tries. */
const OVER_MS: DurationMs = 60_000;
/** Different warnings remembered; the one that began longest ago is forgotten first, and written again then. */
const WARNINGS_MAX = 1_000;
/** Partitions that are named as a warning begins; of the others the summaries tell how many lines there would have been. */
const PARTITIONS_MAX = 8;
/** How long after it was due a summary is written by itself: what still recurs has written it. */
const LAST_WORD_MS: DurationMs = 1_000;

interface Warning {
  readonly pace: SummaryPace;
  readonly partitions: Set<unknown>;
  unsaid: number;
  /** Sum of the fact `records` of what is unsaid. */
  unsaidRecords: number;
  lastAt: DurationMs;
  lastWord: Cancel | undefined;
}

/** Errors and information pass as they are. */
export function calmLog(log: RuntimeLog, clock: Pick<Clock, 'monotonicMs' | 'after'>): RuntimeLog {
  const warnings = new Map<string, Warning>();
  const sumUp = (warning: Warning, message: string, facts: Facts, ago: Facts = {}): void => {
    const records = recordsIn(facts) + warning.unsaidRecords;
    log.warn(message, { ...facts, ...(records > 0 && { records }), unsaidBefore: warning.unsaid, ...ago });
    warning.unsaid = 0;
    warning.unsaidRecords = 0;
    warning.lastWord?.();
    warning.lastWord = undefined;
  };
  /** Left out for the time being: if nothing more comes, it is the last word. */
  const leaveOut = (warning: Warning, message: string, facts: Facts): void => {
    warning.lastWord?.();
    const dueInMs = warning.pace.dueAt + LAST_WORD_MS - clock.monotonicMs();
    warning.lastWord = clock.after(Math.min(dueInMs, OVER_MS), () => {
      warning.pace.isDue(clock.monotonicMs());
      warning.unsaid -= 1;
      warning.unsaidRecords -= recordsIn(facts);
      // It may be long over by now: the line says so.
      sumUp(warning, message, facts, { agoMs: Math.round(clock.monotonicMs() - warning.lastAt) });
    });
    warning.unsaid += 1;
    warning.unsaidRecords += recordsIn(facts);
  };
  const warn = (message: string, facts: Facts = {}): void => {
    const now = clock.monotonicMs();
    const warning = found(warnings, JSON.stringify([message, facts['pipeline'], facts['topic']]), now);
    warning.lastAt = now;
    if (warning.pace.isDue(now)) sumUp(warning, message, facts);
    else if (isNew(warning.partitions, facts['partition'])) log.warn(message, facts);
    else leaveOut(warning, message, facts);
  };
  return {
    info: (message, facts) => {
      log.info(message, facts);
    },
    warn,
    error: (message, facts) => {
      log.error(message, facts);
    },
  };
}

function recordsIn({ records }: Facts): number {
  return typeof records === 'number' ? records : 0;
}

function found(warnings: Map<string, Warning>, key: string, now: DurationMs): Warning {
  const known = warnings.get(key);
  if (known !== undefined && now - known.lastAt <= OVER_MS) return known;
  forget(warnings, key);
  const [oldest] = warnings.keys();
  if (warnings.size >= WARNINGS_MAX && oldest !== undefined) forget(warnings, oldest);
  const pace = new SummaryPace(now);
  const warning = { pace, partitions: new Set(), unsaid: 0, unsaidRecords: 0, lastAt: now, lastWord: undefined };
  warnings.set(key, warning);
  return warning;
}

function forget(warnings: Map<string, Warning>, key: string): void {
  warnings.get(key)?.lastWord?.();
  warnings.delete(key);
}

/** Remembers it, as long as there is room. */
function isNew(logged: Set<unknown>, partition: unknown): boolean {
  if (logged.has(partition) || logged.size >= PARTITIONS_MAX) return false;
  logged.add(partition);
  return true;
}
