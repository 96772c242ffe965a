// Works off what is due, one after another: attempts, retries, and what is recorded of them.
//
// Owns: nothing that outlives a task.
// Does not own: an attempt (task-attempt.ts), what follows from it (task-rules.ts), where work comes from and outcomes go.
//
// Invariants
//   TK1  The next is asked for, by which the place of this one is committed, only once its outcome is recorded, and, where it is
//        tried again by a schedule, once that is in the log.
import { type DurationMs, messageOf } from '@flatline/base';
import { RecordTooLarge } from '@flatline/kafka';
import { BadInput } from '@flatline/records';
import { pause } from '@flatline/system';
import { type AttemptParts, attemptAt, errorText } from './task-attempt.ts';
import { outcomeOf, type TaskOutcome } from './task-outcome.ts';
import { afterFailure, type Attempted, isLostForGood, longestPauseMs, type TaskRetries } from './task-rules.ts';
import type { Work } from './task.ts';

export interface TaskWorkerParts extends AttemptParts {
  readonly name: string;
  readonly retries: TaskRetries | undefined;
  /** Resolves once it is in the log. @throws RecordTooLarge */
  readonly record: (outcome: TaskOutcome) => Promise<void>;
  /** Has the next attempt come later, by a schedule; resolves once that is in the log. undefined: the worker waits itself. @throws RecordTooLarge, BadInput */
  readonly later: ((work: Work, afterMs: DurationMs) => Promise<void>) | undefined;
}

/** Work on this, once so much has passed. */
interface Step {
  readonly work: Work;
  readonly afterMs: DurationMs;
  /** How often the lease was lost in this attempt, here. */
  readonly losses: number;
}

/** The same work, tried once more. */
const again = (work: Work): Work => ({ ...work, attempt: work.attempt + 1 });

/** Until `signal`. @throws what the work throws, and what keeps outcomes from being recorded */
export async function workOff(works: AsyncIterable<Work>, parts: TaskWorkerParts): Promise<void> {
  const { clock, signal } = parts;
  for await (const work of works) {
    let next: Step | 'ended' | undefined = { work, afterMs: 0, losses: 0 };
    while (next !== undefined) {
      if (next !== 'ended' && next.afterMs > 0) await pause(clock, next.afterMs, signal);
      // Leaving the loop gives it to whoever goes on.
      if (next === 'ended' || signal.aborted) return;
      next = await workOn(next, parts);
    }
  }
}

/** Returns what to work on before the next comes. */
async function workOn(step: Step, parts: TaskWorkerParts): Promise<Step | 'ended' | undefined> {
  const { clock } = parts;
  const { work } = step;
  const startedMs = clock.monotonicMs();
  return await attemptAt<Step | 'ended' | undefined>(work, parts, async (attempted) => {
    const took = { tookMs: Math.round(clock.monotonicMs() - startedMs), finishedAt: clock.wallMs() };
    const losses = step.losses + 1;
    switch (attempted.kind) {
      case 'ended':
        return 'ended';
      case 'finished':
        return undefined;
      case 'failedBefore': {
        const { attempt, retryAt } = attempted;
        // By the clock of the worker that has failed.
        const afterMs = Math.min(Math.max(0, retryAt - clock.wallMs()), longestPauseMs(parts.retries));
        return { work: { ...work, attempt }, afterMs, losses: 0 };
      }
      case 'lost':
        if (!isLostForGood(losses, parts.retries)) return { work, afterMs: 0, losses };
        return await afterwards(work, attempted, took, parts);
      case 'done':
        await recordDone(work, attempted, { ...took, ...parts });
        return undefined;
      case 'failed':
        return await afterwards(work, attempted, took, parts);
    }
  });
}

type Took = Pick<TaskOutcome, 'tookMs' | 'finishedAt'>;

async function recordDone(
  work: Work,
  { result, token }: Extract<Attempted, { kind: 'done' }>,
  { record, name, tookMs, finishedAt }: TaskWorkerParts & Took,
): Promise<void> {
  const outcome = { ...outcomeOf(work), token, state: 'DONE', tookMs, finishedAt, worker: name } as const;
  try {
    await record({ ...outcome, result: inJson(result) });
  } catch (error) {
    if (!(error instanceof RecordTooLarge)) throw error;
    await record({ ...outcome, error: `the result is left out: ${error.message}` });
  }
}

async function afterwards(
  work: Work,
  { error, token }: Extract<Attempted, { kind: 'failed' | 'lost' }>,
  took: Took,
  { record, later, retries, name, clock }: TaskWorkerParts,
): Promise<Step | undefined> {
  const next = afterFailure(work.attempt, retries);
  const outcome = { ...outcomeOf(work), ...took, token, worker: name, error: errorText(error) };
  if (next.kind === 'poison') {
    await recordPoison(work, { ...outcome, state: 'POISON' }, record);
    return undefined;
  }
  const { afterMs } = next;
  // First what has it come again: a crash in between repeats this attempt, and loses none.
  const refused = await refusedBy(later, again(work), afterMs);
  if (refused !== undefined) {
    const why = `${outcome.error}; it cannot be tried again: ${errorText(refused)}`;
    await recordPoison(work, { ...outcome, state: 'POISON', error: why }, record);
    return undefined;
  }
  const retryBy = later === undefined ? 'worker' : 'schedule';
  await record({ ...outcome, state: 'FAILED', retryAt: clock.wallMs() + afterMs, retryBy });
  return later === undefined ? { work: again(work), afterMs, losses: 0 } : undefined;
}

/** Returns the objection of the input of schedules to a retry, now and at each further asking; undefined: none. */
async function refusedBy(
  later: TaskWorkerParts['later'],
  retry: Work,
  afterMs: DurationMs,
): Promise<RecordTooLarge | BadInput | undefined> {
  try {
    await later?.(retry, afterMs);
    return undefined;
  } catch (error) {
    if (error instanceof RecordTooLarge || error instanceof BadInput) return error;
    throw error;
  }
}

async function recordPoison(work: Work, outcome: TaskOutcome, record: TaskWorkerParts['record']): Promise<void> {
  try {
    await record({ ...outcome, valueBase64: Buffer.from(work.value).toString('base64') });
  } catch (error) {
    if (!(error instanceof RecordTooLarge)) throw error;
    await record(outcome);
  }
}

/** undefined where JSON has nothing like it: it is left out. */
function inJson(result: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(result ?? null)) as unknown;
  } catch (error) {
    return { unwritable: messageOf(error) };
  }
}
