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
import { pause } from '@flatline/system';
import { type AttemptParts, attemptAt, errorText } from './task-attempt.ts';
import { outcomeOf, type TaskOutcome } from './task-outcome.ts';
import { afterFailure, type Attempted, type TaskRetries } from './task-rules.ts';
import type { Work } from './task.ts';

export interface TaskWorkerParts extends AttemptParts {
  readonly name: string;
  readonly retries: TaskRetries | undefined;
  /** Resolves once it is in the log. @throws RecordTooLarge */
  readonly record: (outcome: TaskOutcome) => Promise<void>;
  /** Has the next attempt come later, by a schedule; resolves once that is in the log. undefined: the worker waits itself. */
  readonly later: ((work: Work, afterMs: DurationMs) => Promise<void>) | undefined;
}

/** The same work, tried once more. */
const again = (work: Work): Work => ({ ...work, attempt: work.attempt + 1 });

/** Until `signal`. @throws what the work throws, and what keeps outcomes from being recorded */
export async function workOff(works: AsyncIterable<Work>, parts: TaskWorkerParts): Promise<void> {
  for await (const first of works) {
    let work: Work | undefined = first;
    while (work !== undefined) {
      const next: Work | 'ended' | undefined = await workOn(work, parts);
      // Leaving the loop gives it to whoever goes on.
      if (next === 'ended') return;
      work = next;
    }
  }
}

/** Returns what to work on before the next comes. */
async function workOn(work: Work, parts: TaskWorkerParts): Promise<Work | 'ended' | undefined> {
  const { clock, signal } = parts;
  const startedMs = clock.monotonicMs();
  const attempted = await attemptAt(work, parts);
  const took = { tookMs: Math.round(clock.monotonicMs() - startedMs), finishedAt: clock.wallMs() };
  switch (attempted.kind) {
    case 'ended':
      return 'ended';
    case 'settled':
      return undefined;
    case 'lost':
      return signal.aborted ? 'ended' : work;
    case 'done':
      await recordDone(work, attempted, { ...took, ...parts });
      return undefined;
    case 'failed':
      return await afterwards(work, attempted, took, parts);
  }
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
  { error, token }: Extract<Attempted, { kind: 'failed' }>,
  took: Took,
  { record, later, retries, name, clock, signal }: TaskWorkerParts,
): Promise<Work | 'ended' | undefined> {
  const next = afterFailure(work.attempt, retries);
  const outcome = { ...outcomeOf(work), ...took, token, worker: name, error: errorText(error) };
  if (next.kind === 'poison') {
    await recordPoison(work, { ...outcome, state: 'POISON' }, record);
    return undefined;
  }
  // First what has it come again: a crash in between repeats this attempt, and loses none.
  if (later !== undefined) await later(again(work), next.afterMs);
  await record({ ...outcome, state: 'FAILED', retryAt: clock.wallMs() + next.afterMs });
  if (later !== undefined) return undefined;
  await pause(clock, next.afterMs, signal);
  return signal.aborted ? 'ended' : again(work);
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
