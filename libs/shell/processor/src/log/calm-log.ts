// A log in which a warning that recurs is written once, and then summed up at growing intervals.
import type { Clock, DurationMs } from '@flatline/base';
import type { RuntimeLog } from '@flatline/runtime';
import { SummaryPace } from './summary-pace.ts';

type Facts = Readonly<Record<string, unknown>>;

/** What has not come for so long is over: the next one is news. Twice the longest pause between two tries, and more. */
const OVER_MS: DurationMs = 60_000;
/** Different warnings remembered; the one that began longest ago is forgotten first, and written again then. */
const WARNINGS_MAX = 1_000;
/** Partitions that are named as a warning begins; of the others the summaries tell how many lines there would have been. */
const PARTITIONS_MAX = 8;

interface Warning {
  readonly pace: SummaryPace;
  readonly partitions: Set<unknown>;
  unsaid: number;
  lastAt: DurationMs;
}

/** Errors and information pass as they are. */
export function calmLog(log: RuntimeLog, clock: Pick<Clock, 'monotonicMs'>): RuntimeLog {
  const warnings = new Map<string, Warning>();
  const warn = (message: string, facts: Facts = {}): void => {
    const now = clock.monotonicMs();
    const warning = found(warnings, JSON.stringify([message, facts['pipeline'], facts['topic']]), now);
    warning.lastAt = now;
    if (warning.pace.isDue(now)) {
      log.warn(message, { ...facts, unsaidBefore: warning.unsaid });
      warning.unsaid = 0;
    } else if (isNew(warning.partitions, facts['partition'])) log.warn(message, facts);
    else warning.unsaid += 1;
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

function found(warnings: Map<string, Warning>, key: string, now: DurationMs): Warning {
  const known = warnings.get(key);
  if (known !== undefined && now - known.lastAt <= OVER_MS) return known;
  warnings.delete(key);
  const [oldest] = warnings.keys();
  if (warnings.size >= WARNINGS_MAX && oldest !== undefined) warnings.delete(oldest);
  const warning = { pace: new SummaryPace(now), partitions: new Set(), unsaid: 0, lastAt: now };
  warnings.set(key, warning);
  return warning;
}

/** Remembers it, as long as there is room. */
function isNew(logged: Set<unknown>, partition: unknown): boolean {
  if (logged.has(partition) || logged.size >= PARTITIONS_MAX) return false;
  logged.add(partition);
  return true;
}
