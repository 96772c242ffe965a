// The breaker of an endpoint in one partition: when it opens, for how long, and what is attempted meanwhile (N2, N4).
import type { DurationMs, Millis } from '@flatline/base';
import { type BegunAttempt, type DeliveryEvidence, type JudgedEndpoint, SLACK_MS } from './evidence.ts';
import { openFault } from '../rules/deliveries/breakers-logged.ts';
import { headerOf, keyTextOf } from '../rules/deliveries/logged-delivery.ts';

interface BreakerSaid {
  readonly at: Millis;
  readonly kind: string;
  readonly until: Millis;
  /** How often in a row. */
  readonly opened: number;
  /** When the attempt failed that opened it. */
  readonly failedAt?: Millis;
}

interface Begun {
  readonly name: string;
  /** All of the partition. */
  readonly all: readonly BegunAttempt[];
  readonly fresh: readonly BegunAttempt[];
}

const FAILURES_MAX = 5;
/** A process stands still for so long at most. */
const FROZEN_MS: DurationMs = 30_000;

export function judgeBreaker(
  { name, maxInFlight }: JudgedEndpoint,
  partition: number,
  { kept }: DeliveryEvidence,
  begun: readonly BegunAttempt[],
): string[] {
  // Sessions are named by their partition first.
  const all = begun.filter(({ id }) => id.includes(`:${partition}-`));
  const fresh = all.filter(({ isStale }) => !isStale);
  const said = kept[partition]!.flatMap((record): BreakerSaid[] => {
    if (keyTextOf(record) !== name) return [];
    if (record.value === null) return [{ at: record.timestamp, kind: 'closed', until: 0, opened: 0 }];
    const breaker = JSON.parse(headerOf(record, 'breaker')!) as BreakerSaid;
    return [{ ...breaker, at: record.timestamp }];
  });
  return [
    ...said.flatMap((each, i) => {
      if (each.kind === 'disabled') return judgeDisabled(each, { name, all, fresh });
      return each.kind === 'open'
        ? judgeOpen(each, { before: said[i - 1], nextAt: said[i + 1]?.at ?? Infinity }, { name, all, fresh })
        : [];
    }),
    ...neverOpened({ name, maxInFlight }, said, fresh),
  ];
}

function judgeDisabled({ at }: BreakerSaid, { name, fresh }: Begun): string[] {
  return fresh
    .filter((each) => each.at > at + SLACK_MS)
    .map((each) => `[N2] ${name}: ${each.id} is attempted, and it is disabled`);
}

function judgeOpen(
  breaker: BreakerSaid,
  { before, nextAt }: { readonly before: BreakerSaid | undefined; readonly nextAt: Millis },
  { name, all, fresh }: Begun,
): string[] {
  const { at, until } = breaker;
  const shut = fresh.filter((each) => each.at > at + SLACK_MS && each.at < Math.min(until, nextAt) - SLACK_MS);
  const probes = fresh.filter((each) => each.at >= until && each.at < nextAt - SLACK_MS);
  const runs = new Set(probes.map(({ run }) => run));
  return [
    ...wrongLength(breaker, before),
    ...openedBy(breaker, all),
    ...shut.map((each) => `${each.id} is attempted at ${each.at}, and its breaker is open until ${until}`),
    ...(probes.length > runs.size ? [`${probes.length} probe its breaker at once`] : []),
  ].map((finding) => `[N4] ${name}: ${finding}`);
}

/** It is open for twice as long as the time before, if it has not been closed since. */
function wrongLength({ until, opened, failedAt = 0 }: BreakerSaid, before: BreakerSaid | undefined): string[] {
  const times = before?.kind === 'open' ? before.opened + 1 : 1;
  const fault = openFault({ until, opened, failedAt }, times);
  return fault === undefined ? [] : [`its ${fault}`];
}

/** It names the failure that opened it: an attempt has failed by then, and its process begins none between that and the breaker's own record. */
function openedBy({ at, failedAt = 0 }: BreakerSaid, all: readonly BegunAttempt[]): string[] {
  // A process that was frozen learns of a failure, and writes it, later than it was. Whoever has only asked for another's place has
  // not fenced it.
  const openers = all.filter(
    ({ isDelivered, endedAt = Infinity }) =>
      isDelivered === false && endedAt <= failedAt + SLACK_MS && endedAt >= failedAt - FROZEN_MS,
  );
  if (openers.length === 0) return [`no attempt has failed at ${failedAt}, as its breaker says`];
  const behind = all.filter((each) => !each.isStale && each.at > failedAt + SLACK_MS && each.at < at - SLACK_MS);
  const isLast = openers.some((opener) => !behind.some((each) => processOf(each) === processOf(opener)));
  return isLast ? [] : [`its breaker opens by the failure at ${failedAt}, behind which ${behind.length} are attempted`];
}

function processOf({ run }: BegunAttempt): string {
  return run.split('#')[0]!;
}

/** Failures in a row of one run, and no breaker is open. */
function neverOpened(
  { name, maxInFlight }: Pick<JudgedEndpoint, 'name' | 'maxInFlight'>,
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
