// One attempt at a task: under its lease, within its time.
//
// Owns: the lease of the attempt.
// Does not own: what follows from the outcome (task-rules.ts), the leases.
//
// Invariants
//   TA1  The handler runs under a lease that is held when it begins, and is told at once when that is over.
//   TA2  An outcome counts only if the lease is held once the handler has settled, or its time has passed.
import { type Clock, type DurationMs, messageOf } from '@flatline/base';
import { pause } from '@flatline/system';
import { LeaseLost } from './leadership.ts';
import type { Lease } from './lease.ts';
import { LeaseNotGot } from './lease-not-got.ts';
import type { Leases } from './open-leases.ts';
import { type Task, TaskTimedOut, type Work } from './task.ts';
import type { Attempted } from './task-rules.ts';

export interface AttemptParts {
  readonly clock: Clock;
  readonly handler: (task: Task) => unknown;
  readonly timeoutMs: DurationMs | undefined;
  readonly leases: Pick<Leases, 'acquire'> | undefined;
  /** True if an outcome that ends the task is recorded by now. */
  readonly isSettled: (id: string) => Promise<boolean>;
  /** Ends the worker. */
  readonly signal: AbortSignal;
}

/** Before a lease that was refused is asked for again. */
const ASK_AGAIN_MS: DurationMs = 500;
/** What a handler may take to return once it was told to. */
const RETURN_MS: DurationMs = 1_000;

export async function attemptAt(work: Work, parts: AttemptParts): Promise<Attempted> {
  const { leases, signal } = parts;
  if (leases === undefined) return await worked(work, undefined, parts);
  const lease = await leaseFor(work, leases, parts);
  if (lease === undefined || signal.aborted) {
    lease?.release();
    return { kind: 'ended' };
  }
  try {
    if (await parts.isSettled(work.id)) return { kind: 'settled' };
    return await worked(work, lease, parts);
  } finally {
    lease.release();
  }
}

/** undefined: the worker ends. @throws what asking again does not mend */
async function leaseFor(
  { id, attempt }: Work,
  leases: Pick<Leases, 'acquire'>,
  { clock, signal }: AttemptParts,
): Promise<Lease | undefined> {
  while (!signal.aborted) {
    try {
      return await leases.acquire(id, { signal, attributes: { attempt: String(attempt) } });
    } catch (error) {
      if (!isWorthAsking(error, signal)) throw error;
      await pause(clock, ASK_AGAIN_MS, signal);
    }
  }
  return undefined;
}

/** Also where the worker ends, by which a call rejects with the signal's reason. */
function isWorthAsking(error: unknown, { aborted }: AbortSignal): boolean {
  return aborted || (error instanceof LeaseNotGot && !FOR_GOOD.includes(error.reason));
}

/** Refusals that asking again does not mend. */
const FOR_GOOD: readonly string[] = ['TOO_SHORT', 'TOO_LARGE', 'NO_APPEND_TIME'];

async function worked(work: Work, lease: Lease | undefined, parts: AttemptParts): Promise<Attempted> {
  const { clock, handler, timeoutMs, signal: ending } = parts;
  const limiting = new AbortController();
  const losing = new AbortController();
  void lease?.over.then((reason) => {
    losing.abort(new LeaseLost(work.id, reason));
  });
  const cancel =
    timeoutMs === undefined
      ? undefined
      : clock.after(timeoutMs, () => {
          limiting.abort(new TaskTimedOut(work.id, timeoutMs));
        });
  const signal = AbortSignal.any([ending, losing.signal, limiting.signal]);
  const task: Task = {
    ...work,
    token: lease?.token,
    get isHeld() {
      return lease?.isHeld ?? !signal.aborted;
    },
    signal,
  };
  const outcome = await settled(clock, handler, task);
  cancel?.();
  if (lease !== undefined && !lease.isHeld) return { kind: 'lost' };
  if (ending.aborted && outcome.kind !== 'done') return { kind: 'ended' };
  return limiting.signal.aborted && outcome.kind === 'ended'
    ? { kind: 'failed', error: limiting.signal.reason as unknown, token: task.token }
    : outcome;
}

/** `ended`: it was told to return, and has not. */
async function settled(clock: Clock, handler: (task: Task) => unknown, task: Task): Promise<Attempted> {
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
