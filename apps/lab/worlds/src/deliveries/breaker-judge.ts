// Judges the breaker of an endpoint in one partition (N4): read from docs/SPEC.md and docs/FORMATS.md alone.
import type { DurationMs, Millis } from '@flatline/base';
import type { LogRecord } from '@flatline/cluster';
import type { BegunAttempt } from './ledger.ts';
import { headerOf, SLACK_MS, text } from './record-words.ts';

interface Breaking {
  readonly name: string;
  readonly maxInFlight: number;
}

interface BreakerSaid {
  readonly at: Millis;
  readonly kind: string;
  readonly until: Millis;
  /** How often in a row. */
  readonly opened: number;
  /** When the attempt failed that opened it. */
  readonly failedAt?: Millis;
}

const FAILURES_MAX = 5;
const OPEN_FIRST_MS: DurationMs = 5e3;
const OPEN_MOST_MS: DurationMs = 3e5;
/** Either way. */
const SPREAD = 0.2;
/** A process stands still for so long at most. */
const FROZEN_MS: DurationMs = 30_000;

export function judgeBreaker(
  { name, maxInFlight }: Breaking,
  partition: number,
  kept: readonly LogRecord[],
  all: readonly BegunAttempt[],
): string[] {
  const ofPartition = all.filter(({ id }) => id.includes(`:${partition}-`));
  const begun = ofPartition.filter(({ isStale }) => !isStale);
  const said = kept.flatMap((record): BreakerSaid[] => {
    if (text(record.key) !== name) return [];
    if (record.value === null) return [{ at: record.timestamp, kind: 'closed', until: 0, opened: 0 }];
    const breaker = JSON.parse(headerOf(record, 'breaker')!) as BreakerSaid;
    return [{ ...breaker, at: record.timestamp }];
  });
  return [
    ...said.flatMap((breaker, i) => {
      const { at, kind, until } = breaker;
      const nextAt = said[i + 1]?.at ?? Infinity;
      if (kind === 'disabled')
        return begun
          .filter((each) => each.at > at + SLACK_MS)
          .map((each) => `[N2] ${name}: ${each.id} is attempted, and it is disabled`);
      if (kind !== 'open') return [];
      const shut = begun.filter((each) => each.at > at + SLACK_MS && each.at < Math.min(until, nextAt) - SLACK_MS);
      const probes = begun.filter((each) => each.at >= until && each.at < nextAt - SLACK_MS);
      const runs = new Set(probes.map(({ run }) => run));
      return [
        ...wrongLength(breaker, said[i - 1]),
        ...openedBy(breaker, ofPartition),
        ...shut.map((each) => `${each.id} is attempted at ${each.at}, and its breaker is open until ${until}`),
        ...(probes.length > runs.size ? [`${probes.length} probe its breaker at once`] : []),
      ].map((finding) => `[N4] ${name}: ${finding}`);
    }),
    ...neverOpened({ name, maxInFlight }, said, begun),
  ];
}

/** It is open for twice as long as the time before, if it has not been closed since. */
function wrongLength({ until, opened, failedAt = 0 }: BreakerSaid, before: BreakerSaid | undefined): string[] {
  const times = before?.kind === 'open' ? before.opened + 1 : 1;
  const openMs = Math.min(OPEN_MOST_MS, OPEN_FIRST_MS * 2 ** (times - 1));
  const openFor = until - failedAt;
  const isRight = opened === times && openFor >= (1 - SPREAD) * openMs && openFor <= (1 + SPREAD) * openMs;
  return isRight ? [] : [`its breaker opens time ${times} in a row, as number ${opened}, for ${openFor} ms`];
}

/** When it opens is its own word: an attempt has failed by then, and nothing begins behind that until the breaker is written. */
function openedBy({ at, failedAt = 0 }: BreakerSaid, begun: readonly BegunAttempt[]): string[] {
  // A process that was frozen learns of a failure, and writes it, later than it was. Whoever has only asked for another's place has
  // not fenced it.
  const openers = begun.filter(
    ({ isDelivered, endedAt = Infinity }) =>
      isDelivered === false && endedAt <= failedAt + SLACK_MS && endedAt >= failedAt - FROZEN_MS,
  );
  if (openers.length === 0) return [`no attempt has failed at ${failedAt}, as its breaker says`];
  const behind = begun.filter((each) => !each.isStale && each.at > failedAt + SLACK_MS && each.at < at - SLACK_MS);
  const isLast = openers.some((opener) => !behind.some((each) => processOf(each) === processOf(opener)));
  return isLast ? [] : [`its breaker opens by the failure at ${failedAt}, behind which ${behind.length} are attempted`];
}

function processOf({ run }: BegunAttempt): string {
  return run.split('#')[0]!;
}

/** Failures in a row of one run, and no breaker is open. */
function neverOpened(
  { name, maxInFlight }: Breaking,
  said: readonly BreakerSaid[],
  begun: readonly BegunAttempt[],
): string[] {
  // Whoever follows counts again.
  return [...Map.groupBy(begun, ({ run }) => run).values()].flatMap((run) => {
    let inARow = 0;
    for (const { isDelivered, endedAt } of run.toSorted((a, b) => (a.endedAt ?? Infinity) - (b.endedAt ?? Infinity))) {
      if (isDelivered === undefined || endedAt === undefined) continue;
      inARow = isDelivered ? 0 : inARow + 1;
      // Attempts under way when it opened fail, too. What came of all before is committed by then.
      if (inARow <= FAILURES_MAX + maxInFlight) continue;
      const last = said.findLast(({ at }) => at <= endedAt + SLACK_MS);
      if (last === undefined || last.kind === 'closed')
        return [`[N4] ${name}: ${inARow} failures in a row, and no breaker opens`];
    }
    return [];
  });
}
