// The record of a task: one on the topic of results for each attempt that ended, under the task's id.
import { type DurationMs, type Millis, utf8Of } from '@flatline/base';
import type { Work } from './task.ts';

/** `DONE`, `FAILED` (it is tried again) or `POISON` (it is not). */
export type TaskState = 'DONE' | 'FAILED' | 'POISON';

/** As JSON on the topic of results (docs/FORMATS.md). */
export interface TaskOutcome {
  readonly id: string;
  /** As text. */
  readonly key: string;
  readonly state: TaskState;
  /** From 1. */
  readonly attempt: number;
  /** The lease's, if there was one. */
  readonly token?: number | undefined;
  readonly dueAt?: Millis | undefined;
  /** By the worker's clock, in milliseconds since the epoch. */
  readonly finishedAt: Millis;
  readonly tookMs: DurationMs;
  readonly worker: string;
  /** The handler's result, of a task that is `DONE`; left out where JSON has nothing like it. */
  readonly result?: unknown;
  readonly error?: string | undefined;
  /** When it is tried again, of one that is `FAILED`. */
  readonly retryAt?: Millis | undefined;
  /** By what it is tried again, of one that is `FAILED`: where the worker itself waits and ends, whoever goes on makes the next attempt. */
  readonly retryBy?: 'schedule' | 'worker' | undefined;
  /** The message of one that is `POISON`, in base64, so that nothing is lost; left out where the topic does not take it. */
  readonly valueBase64?: string | undefined;
}

const STATES: readonly unknown[] = ['DONE', 'FAILED', 'POISON'] satisfies TaskState[];
const text = new TextDecoder();

export function outcomeRecord(outcome: TaskOutcome): { readonly key: Uint8Array; readonly value: Uint8Array } {
  return { key: utf8Of(outcome.id), value: utf8Of(JSON.stringify(outcome)) };
}

/** undefined: the record is none. */
export function outcomeIn(value: Uint8Array | null): TaskOutcome | undefined {
  if (value === null) return undefined;
  try {
    const found = JSON.parse(text.decode(value)) as TaskOutcome | null;
    return found !== null && isOutcome(found) ? found : undefined;
  } catch {
    return undefined; // that is the answer
  }
}

/** Looks at the fields by which a task goes on. */
function isOutcome({ id, state, attempt, token, retryAt }: TaskOutcome): boolean {
  const isNamed = typeof id === 'string' && STATES.includes(state);
  return isNamed && Number.isSafeInteger(attempt) && attempt >= 1 && isNumber(token) && isNumber(retryAt);
}

function isNumber(value: unknown): boolean {
  return value === undefined || Number.isFinite(value);
}

/** The last attempt that need not be begun any more: each, where nothing more comes of the task; 0: none. */
export function finishedUpTo({ state, attempt, retryBy }: Pick<TaskOutcome, 'state' | 'attempt' | 'retryBy'>): number {
  if (state !== 'FAILED') return Infinity;
  return retryBy === 'schedule' ? attempt : 0;
}

/** The record that stands of a task, the last of those that count, and what tells whether the next one does. */
export interface Standing<Outcome> {
  readonly outcome: Outcome;
  /** The last grant that any record told of. */
  readonly token: number | undefined;
  /** The heaviest state of a record that counts, and of one without a token; −1: there is none. */
  readonly heaviest: number;
  readonly heaviestUntold: number;
}

/** Where tokens do not tell which record is late, what has ended has not failed since, and what was done is no poison. */
const WEIGHTS: Readonly<Record<TaskState, number>> = { FAILED: 0, POISON: 1, DONE: 2 };

/**
 * Finds the record that stands once `outcome` lies behind others. It counts unless a later grant was told of before, since a worker
 * that has lost its lease was late with it; or where a token is lacking, of this record or of another, and the other weighs more
 * (docs/FORMATS.md, Tasks).
 */
export function standingAfter<Outcome extends Pick<TaskOutcome, 'state' | 'token'>>(
  former: Standing<Outcome> | undefined,
  outcome: Outcome,
): Standing<Outcome> {
  const { state, token } = outcome;
  const weight = WEIGHTS[state];
  if (former === undefined)
    return { outcome, token, heaviest: weight, heaviestUntold: token === undefined ? weight : -1 };
  const { heaviest, heaviestUntold } = former;
  if (token !== undefined && former.token !== undefined && token < former.token) return former;
  const lastToken = token ?? former.token;
  if (weight < (token === undefined ? heaviest : heaviestUntold)) return { ...former, token: lastToken };
  return {
    outcome,
    token: lastToken,
    heaviest: Math.max(heaviest, weight),
    heaviestUntold: token === undefined ? Math.max(heaviestUntold, weight) : heaviestUntold,
  };
}

/** Fields that do not depend on how it ended. */
export function outcomeOf({
  id,
  keyText,
  attempt,
  dueAt,
}: Work): Pick<TaskOutcome, 'id' | 'key' | 'attempt' | 'dueAt'> {
  return { id, key: keyText, attempt, dueAt };
}
