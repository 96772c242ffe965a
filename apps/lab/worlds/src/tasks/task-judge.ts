// Judges a world of tasks by its logs and by what its workers did (T1–T3): each task has come to its end, no two held one, what came
// late is told by its token, and attempts, limits and places are as the rules have them.
import type { DurationMs, Millis } from '@flatline/base';
import type { BegunAttempt, GivenOutcome } from './ledger.ts';
import {
  grantsIn,
  outcomesIn,
  type ReadGrant,
  type ReadOutcome,
  type ReadRun,
  runsIn,
  type TaskEvidence,
} from './task-evidence.ts';

export type { TaskEvidence } from './task-evidence.ts';

/** Stamps of brokers whose clocks differ, beside the true clock. */
const SKEW_MS = 300;
/** Time a handler has to return once it was told to. */
const RETURN_MS = 1_000;
/** Results are known from a minute before a worker begins; half of that is asked for, since it may be cut off while it opens. */
const KNOWN_MS = 30_000;

interface Known {
  readonly evidence: TaskEvidence;
  readonly runs: readonly ReadRun[];
  readonly outcomes: readonly ReadOutcome[];
  readonly grants: readonly ReadGrant[];
}

/** Tasks that have not come to their end, by what counts. */
export function unfinishedIn(evidence: TaskEvidence): readonly string[] {
  const outcomes = outcomesIn(evidence);
  const first = runsIn(evidence).filter(({ id, partition, offset }) => id === `${partition}-${offset}`);
  const last = new Map(outcomes.filter(({ counts }) => counts).map((each) => [each.id, each.state]));
  const come = new Set(first.map(({ key }) => key));
  return [
    ...evidence.asked.filter((key) => !come.has(key)).map((key) => `[T1] ${key} was asked for, and has no run`),
    ...first.flatMap(({ id }) => {
      const state = last.get(id);
      return state === 'DONE' || state === 'POISON' ? [] : [`[T1] ${id} is ${state ?? 'not recorded'} in the end`];
    }),
  ];
}

export function judgeTasks(evidence: TaskEvidence): readonly string[] {
  const breaches: string[] = [];
  const known: Known = {
    evidence,
    runs: runsIn(evidence),
    outcomes: outcomesIn(evidence),
    grants: evidence.rules.isLeased ? grantsIn(evidence, breaches) : [],
  };
  return [
    ...breaches,
    ...unfinishedIn(evidence),
    ...known.outcomes.flatMap((outcome) => ofOutcome(outcome, known)),
    ...oneAtATime(evidence),
    ...places(known),
    ...pauses(known),
    ...evidence.ledger.begun.flatMap((each) => againAfterEnd(each, known)),
    ...(evidence.rules.isLeased ? held(known) : []),
  ];
}

/** T1, T3: each record says what an attempt has come to. */
function ofOutcome(outcome: ReadOutcome, { evidence: { rules, ledger }, runs, grants }: Known): readonly string[] {
  const { id, state, attempt, token, worker, error = '' } = outcome;
  const what = `${id}, attempt ${attempt} by ${worker} under ${token}, is ${state}`;
  const attempts = ledger.begun.filter(
    (each) => each.id === id && each.attempt === attempt && each.worker === worker && each.token === token,
  );
  const breaches: string[] = [];
  const { timeoutMs = Infinity } = rules;
  const tookMs = ({ at, endedAt = Infinity }: BegunAttempt): DurationMs => endedAt - at;
  if (state === 'DONE') {
    const returned = attempts.filter(({ result }) => result !== undefined && result === outcome.result);
    if (returned.length === 0) return [`[T1] ${what}, and no handler has returned ${JSON.stringify(outcome.result)}`];
    // Time for which a machine slept counts for no limit, or does.
    const isBeyond = returned.every((each) => tookMs(each) - each.sleptMs >= timeoutMs);
    return isBeyond ? [`[T3] ${what}, and took longer than ${timeoutMs} ms`] : [];
  }
  const lost = grants.filter((each) => each.id === id && each.worker === worker).length;
  const isLost = error.includes('is over:') && lost >= rules.attempts;
  if (!isLost && !attempts.some((each) => each.result === undefined || tookMs(each) >= timeoutMs))
    breaches.push(`[T3] ${what} (${error}), and no handler has failed`);
  if ((state === 'POISON') !== attempt >= rules.attempts)
    breaches.push(`[T3] ${what}, where there are ${rules.attempts} attempts`);
  const run = runs.find((each) => each.id === id);
  if (state === 'POISON' && outcome.valueBase64 !== Buffer.from(run?.value ?? []).toString('base64'))
    breaches.push(`[T3] ${what} without its message`);
  if (state === 'FAILED' && outcome.retryAt! < outcome.finishedAt + pauseAfter(attempt, rules))
    breaches.push(`[T3] ${what}, and tried again after ${outcome.retryAt! - outcome.finishedAt} ms`);
  return breaches;
}

function pauseAfter(attempt: number, { firstMs, mostMs }: TaskEvidence['rules']): number {
  return Math.min(mostMs, firstMs * 2 ** (attempt - 1));
}

/** T1: a worker begins no task before it has done with the one before, or told it to stop a second ago. */
function oneAtATime({ ledger }: TaskEvidence): readonly string[] {
  const breaches: string[] = [];
  const former = new Map<string, BegunAttempt>();
  for (const begun of ledger.begun) {
    const before = former.get(begun.worker);
    former.set(begun.worker, begun);
    if (before === undefined) continue;
    const isOver = (before.endedAt ?? Infinity) <= begun.at;
    // The event's instant is rounded to the microsecond.
    const wasTold = begun.at - (before.toldAt ?? Infinity) >= RETURN_MS - 1;
    if (!isOver && !wasTold)
      breaches.push(`[T1] ${begun.worker} begins ${begun.id} and has not done with ${before.id}`);
  }
  return breaches;
}

/** T1: what lies below a committed place is recorded, as done with or as tried again. */
function places({ evidence: { ledger }, runs, outcomes }: Known): readonly string[] {
  const ofTask = Map.groupBy(outcomes, ({ id }) => id);
  const isRecorded = ({ id, attempt }: ReadRun, at: Millis): boolean =>
    ofTask.get(id)?.some((outcome) => outcome.timestamp <= at + SKEW_MS && isEndOf(outcome, attempt)) === true;
  const reached = new Map<number, number>();
  const early = ledger.commits.flatMap(({ partition, offset, at }) => {
    const from = reached.get(partition) ?? 0;
    reached.set(partition, Math.max(from, offset));
    return runs
      .filter((run) => run.partition === partition && run.offset >= from && run.offset < offset)
      .filter((run) => !isRecorded(run, at))
      .map(
        ({ id, attempt }) => `[T1] the place ${partition}-${offset} is committed before ${id}/${attempt} is recorded`,
      );
  });
  const left = runs.filter(({ partition, offset }) => offset >= (reached.get(partition) ?? 0));
  return [...early, ...left.map(({ id, attempt }) => `[T1] no place behind ${id}/${attempt} is committed`)];
}

/** True if nothing more is to be done by that attempt: the task has come to its end, or another attempt comes by a schedule. */
function isEndOf({ state, attempt, retryBy }: ReadOutcome, of: number): boolean {
  return state !== 'FAILED' || (retryBy === 'schedule' && attempt >= of);
}

/** True if that attempt need not be begun any more: it has failed, perhaps, and the next one is to come. */
function isPast({ state, attempt }: ReadOutcome, of: number): boolean {
  return state !== 'FAILED' || attempt >= of;
}

/** T3: an attempt is made no sooner after one that has failed than it has to. */
function pauses({ evidence: { ledger, rules }, runs }: Known): readonly string[] {
  const firstOver = new Map<string, Millis>();
  for (const { id, attempt, at, toldAt = Infinity, endedAt = Infinity, result } of ledger.begun) {
    // No attempt comes of one that has returned in time.
    if (result !== undefined && toldAt === Infinity) continue;
    const name = `${id}/${attempt}`;
    const overAt = Math.min(toldAt, endedAt);
    firstOver.set(name, Math.min(overAt === Infinity ? at : overAt, firstOver.get(name) ?? Infinity));
  }
  // A run is stamped by a broker.
  const skewMs = rules.retryBy === 'schedule' ? SKEW_MS : 1;
  const tried = rules.retryBy === 'schedule' ? runs.map((run) => ({ ...run, at: run.timestamp })) : ledger.begun;
  return tried.flatMap(({ id, attempt, at }) => {
    const before = firstOver.get(`${id}/${attempt - 1}`);
    if (attempt === 1 || before === undefined) return [];
    const pauseMs = pauseAfter(attempt - 1, rules);
    return at < before + pauseMs - skewMs ? [`[T3] attempt ${attempt} at ${id} does not wait ${pauseMs} ms`] : [];
  });
}

/** T2, L8 */
function held(known: Known): readonly string[] {
  const { evidence, grants } = known;
  const { begun, given } = evidence.ledger;
  const grantOf = (of: { readonly id: string; readonly token: number | undefined }): ReadGrant | undefined =>
    grants.find(({ id, token }) => id === of.id && token === of.token);
  return [
    ...begun.flatMap((each) => ofBegun(each, grantOf(each), known)),
    ...twice(begun),
    ...overlaps(begun),
    ...given.flatMap((each) => ofGiven(each, grantOf(each), evidence)),
  ];
}

/** An outcome is recorded while the lease is held, and that is not given back before. */
function ofGiven(given: GivenOutcome, grant: ReadGrant | undefined, evidence: TaskEvidence): readonly string[] {
  const { worker, id, token, at, acknowledgedAt = Infinity, wasLost, wasSuspended } = given;
  const what = `[T2] ${worker} records ${id}`;
  // A lease lost for good is recorded although it is not held.
  if (wasLost) return [];
  const breaches: string[] = [];
  if (!wasSuspended && at > heldUntil(grant, at, evidence)) breaches.push(`${what} after its lease ${token} was over`);
  const back = evidence.ledger.givenBack.find(
    (each) => each.worker === worker && each.id === id && each.token === token,
  );
  if (back !== undefined && back.at < acknowledgedAt) breaches.push(`${what} and gives its lease ${token} back before`);
  return breaches;
}

function ofBegun(each: BegunAttempt, grant: ReadGrant | undefined, known: Known): readonly string[] {
  const { id, token, worker, lastHeldAt, suspendedMs } = each;
  const what = `${worker} works on ${id} under ${token}`;
  if (grant === undefined) return [`[T2] ${what}, which was granted to none`];
  if (grant.worker !== worker) return [`[T2] ${what}, which was granted to ${grant.worker}`];
  const until = heldUntil(grant, lastHeldAt ?? 0, known.evidence);
  const breaches: string[] = [];
  if (lastHeldAt !== undefined && suspendedMs === 0 && lastHeldAt > until)
    breaches.push(`[T2] ${what} ${lastHeldAt - until} ms after that was over`);
  return breaches;
}

/** T2, T3: a task that has come to its end, or an attempt that has failed, is not begun again once the worker knew. */
function againAfterEnd({ id, attempt, worker, token, at, askedAt }: BegunAttempt, known: Known): readonly string[] {
  const { given, workers } = known.evidence.ledger;
  const since = workers.get(worker)! - KNOWN_MS;
  const isKnown = (outcome: ReadOutcome): boolean => {
    const { acknowledgedAt = Infinity } = given.find((each) => isOf(each, outcome)) ?? {};
    return acknowledgedAt > since && acknowledgedAt < askedAt;
  };
  // It knew of all up to the last of these, and may have heard of those behind it.
  const counting = known.outcomes.filter((outcome) => outcome.counts && outcome.id === id);
  const heard = counting.slice(counting.findLastIndex(isKnown)).filter(({ timestamp }) => timestamp <= at + SKEW_MS);
  const isEnded = counting.some(isKnown) && heard.every((outcome) => isPast(outcome, attempt));
  return isEnded ? [`[T2] ${worker} works on ${id} under ${token}, whose end was recorded before`] : [];
}

function isOf(given: GivenOutcome, { id, worker, token, attempt, finishedAt }: ReadOutcome): boolean {
  return (
    given.id === id &&
    given.worker === worker &&
    given.token === token &&
    given.attempt === attempt &&
    given.at === finishedAt
  );
}

/** Until when the log holds it for whoever has heard of what lies there at that moment. */
function heldUntil(grant: ReadGrant | undefined, at: Millis, { rules }: TaskEvidence): Millis {
  const renewals = grant?.renewals.filter((renewed) => renewed <= at + SKEW_MS) ?? [];
  const endedAt = grant?.endedAt ?? -Infinity;
  return Math.min(endedAt + SKEW_MS, Math.max(-Infinity, ...renewals) + rules.leaseTimeoutMs);
}

/** Each grant is for one attempt. */
function twice(begun: readonly BegunAttempt[]): readonly string[] {
  const seen = new Set<string>();
  return begun.flatMap(({ id, token }) => {
    const name = `${id} under ${token}`;
    const isSeen = seen.has(name);
    seen.add(name);
    return isSeen ? [`[T2] ${name} is begun twice`] : [];
  });
}

/** No two believe at a time that they hold a task, but for one whose machine slept. */
function overlaps(begun: readonly BegunAttempt[]): readonly string[] {
  const ofTask = Map.groupBy(begun, ({ id }) => id);
  return [...ofTask].flatMap(([id, attempts]) => {
    const byToken = attempts.toSorted((a, b) => (a.token ?? 0) - (b.token ?? 0));
    // The one before that believed for longest: the last may never have held it.
    let former: BegunAttempt | undefined;
    return byToken.flatMap((later) => {
      const before = former;
      if (later.suspendedMs === 0 && (later.lastHeldAt ?? 0) > (before?.lastHeldAt ?? 0)) former = later;
      if (before?.lastHeldAt === undefined || later.firstHeldAt === undefined) return [];
      if (before.lastHeldAt < later.firstHeldAt) return [];
      return [`[T2] two hold ${id}: ${before.worker} by ${before.token} and ${later.worker} by ${later.token}`];
    });
  });
}
