// One attempt at a task: under its lease, within its time.
//
// Owns: the lease of the attempt, until what follows from it is done.
// Does not own: what follows from the outcome (task-worker.ts), the leases.
//
// Invariants
//   TA1  The handler runs under a lease that is held when it begins, and is told at once when that is over.
//   TA2  An outcome counts only if the lease is held once the handler has settled, or its time has passed.
//   TA3  The lease is given back only after `conclude`, by which the outcome is recorded: whoever has it next finds that.
import { type Clock, type DurationMs, messageOf, Misconfigured } from '@flatline/base';
import { pause } from '@flatline/system';
import type { FinishedTasks, Known } from './finished-tasks.ts';
import { LeaseLost } from './leadership.ts';
import type { Lease } from './lease.ts';
import { LeaseNotGot } from './lease-not-got.ts';
import type { Leases } from './open-leases.ts';
import { type Task, TaskTimedOut, type Work } from './task.ts';
import type { Attempted } from './task-rules.ts';
import { RefusalTroubles, type Trouble } from './trouble.ts';

export interface AttemptParts {
  readonly clock: Clock;
  readonly handler: (task: Task) => unknown;
  readonly timeoutMs: DurationMs | undefined;
  readonly leases: Pick<Leases, 'acquire'> | undefined;
  /** Names a task's lease. */
  readonly leaseIdOf: (id: string) => string;
  /** As FinishedTasks': whether an outcome is recorded by now that ends the task, or this attempt and has another come. */
  readonly known: FinishedTasks['known'];
  /** Told of leases that are lost, and of refusals that repeat. */
  readonly onTrouble: (trouble: Trouble) => void;
  /** Ends the worker. */
  readonly signal: AbortSignal;
}

/** Before a lease that was refused is asked for again. */
const ASK_AGAIN_MS: DurationMs = 500;
/** Time a handler has to return once it was told to. */
const RETURN_MS: DurationMs = 1_000;

/**
 * `conclude`: draws its conclusions, while the lease is held: another who waits for it finds them recorded.
 * @throws Misconfigured where leases are replaced, and what `conclude` throws
 */
export async function attemptAt<T>(
  work: Work,
  parts: AttemptParts,
  conclude: (attempted: Attempted) => Promise<T>,
): Promise<T> {
  const { leases, signal } = parts;
  const lease = leases && (await leaseFor(work, leases, parts));
  try {
    if (signal.aborted) return await conclude({ kind: 'ended' });
    return await conclude(await begun(work, lease, parts));
  } finally {
    lease?.release();
  }
}

/** undefined: the worker ends. @throws what asking again does not mend */
async function leaseFor(
  { id, attempt }: Work,
  leases: Pick<Leases, 'acquire'>,
  { clock, signal, onTrouble, leaseIdOf }: AttemptParts,
): Promise<Lease | undefined> {
  const troubles = new RefusalTroubles();
  const leaseId = leaseIdOf(id);
  const isEnding = (): boolean => signal.aborted;
  while (!isEnding()) {
    try {
      return await leases.acquire(leaseId, { signal, attributes: { attempt: String(attempt) } });
    } catch (error) {
      if (isEnding()) return undefined;
      if (!(error instanceof LeaseNotGot) || FOR_GOOD.includes(error.reason)) throw error;
      if (error.reason === REPLACED) throw replacedLease(leaseId);
      const trouble = troubles.hear(id, error.message, clock.monotonicMs());
      if (trouble !== undefined) onTrouble(trouble);
      await pause(clock, ASK_AGAIN_MS, signal);
    }
  }
  return undefined;
}

/** Refusals that asking again does not mend. */
const FOR_GOOD: readonly string[] = ['TOO_SHORT', 'TOO_LARGE', 'NO_APPEND_TIME'];
const REPLACED = 'REPLACED';

function replacedLease(leaseId: string): Misconfigured {
  const why = `the lease ${leaseId} was replaced: under onConflict 'replace' workers take a task from each other without end`;
  return new Misconfigured(`${why}. In the pipeline of the leases use onConflict queue or reject`);
}

async function begun(work: Work, lease: Lease | undefined, parts: AttemptParts): Promise<Attempted> {
  const known = await knownOrEnded(work, parts);
  if (known === 'ended') return { kind: 'ended' };
  if (known === 'finished') return { kind: 'finished' };
  if (known !== undefined) return { kind: 'failedBefore', ...known };
  const isHeld = (): boolean => lease?.isHeld ?? true;
  // The results may have taken longer to read than the lease lasts.
  const attempted = isHeld() ? await worked(work, lease, parts) : undefined;
  if (attempted !== undefined && isHeld()) return attempted;
  return parts.signal.aborted ? { kind: 'ended' } : await lost(work, lease!, parts);
}

/** `ended`: the worker ends, and waits for no broker. */
async function knownOrEnded({ id, attempt }: Work, { known, signal }: AttemptParts): Promise<Known | 'ended'> {
  const { promise: ended, resolve } = Promise.withResolvers<'ended'>();
  const end = (): void => {
    resolve('ended');
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([known(id, attempt), ended]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** @throws Misconfigured */
async function lost(work: Work, lease: Lease, parts: AttemptParts): Promise<Attempted> {
  const { id, attempt } = work;
  const { clock, leaseIdOf, onTrouble } = parts;
  // Reported once a timer that is due by now has fired.
  const reason = (await Promise.race([lease.over, pause(clock, RETURN_MS)])) ?? 'TIMEOUT';
  if (reason === REPLACED) throw replacedLease(leaseIdOf(id));
  const error = new LeaseLost(leaseIdOf(id), reason);
  onTrouble({ kind: 'task', id, message: `attempt ${attempt} at task ${id} counts for nothing: ${error.message}` });
  // The worker that took it may be done: a record of the loss would replace its outcome.
  const known = await knownOrEnded(work, parts);
  if (known === 'ended') return { kind: 'ended' };
  return known === 'finished' ? { kind: 'finished' } : { kind: 'lost', error, token: lease.token };
}

async function worked(work: Work, lease: Lease | undefined, parts: AttemptParts): Promise<Attempted> {
  const { clock, handler, timeoutMs, signal: ending } = parts;
  const limiting = new AbortController();
  const beganMs = clock.monotonicMs();
  const losing = new AbortController();
  void lease?.over.then((reason) => {
    losing.abort(new LeaseLost(parts.leaseIdOf(work.id), reason));
  });
  const limitMs = timeoutMs ?? Infinity;
  const expire = (): void => {
    limiting.abort(new TaskTimedOut(work.id, limitMs));
  };
  const cancel = timeoutMs === undefined ? undefined : clock.after(timeoutMs, expire);
  const signal = AbortSignal.any([ending, losing.signal, limiting.signal]);
  const task: Task = {
    ...work,
    token: lease?.token,
    get isHeld() {
      return lease?.isHeld ?? !signal.aborted;
    },
    signal,
  };
  const outcome = await handled(clock, handler, task);
  cancel?.();
  // After a standstill the handler may have gone on before the limit's timer.
  if (clock.monotonicMs() - beganMs >= limitMs) expire();
  const isLate = limiting.signal.aborted;
  if (ending.aborted && (isLate || outcome.kind !== 'done')) return { kind: 'ended' };
  // Whatever its handler has come to since.
  return isLate ? { kind: 'failed', error: limiting.signal.reason as unknown, token: task.token } : outcome;
}

/** `ended`: it was told to return, and has not. */
async function handled(clock: Clock, handler: (task: Task) => unknown, task: Task): Promise<Attempted> {
  const { signal } = task;
  const handling = (async (): Promise<Attempted> => {
    try {
      return { kind: 'done', result: await handler(task), token: task.token };
    } catch (error) {
      return { kind: 'failed', error, token: task.token };
    }
  })();
  const { promise: told, resolve: tell } = Promise.withResolvers<undefined>();
  const late = (): void => {
    void pause(clock, RETURN_MS).then(() => {
      tell(undefined);
    });
  };
  signal.addEventListener('abort', late, { once: true });
  if (signal.aborted) late();
  const outcome = await Promise.race([handling, told]);
  signal.removeEventListener('abort', late);
  return outcome ?? { kind: 'ended' };
}

/** In words, as a record holds it. */
export function errorText(error: unknown): string {
  return messageOf(error).slice(0, ERROR_LENGTH_MAX);
}

const ERROR_LENGTH_MAX = 4_096;
