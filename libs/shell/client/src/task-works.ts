// Makes a worker's tasks of the records of the topic that it works off, and knows there a task that is tried again.
//
// A task is named by the place of its record, which a transaction has written once: numbers of schedules are each pipeline's own,
// and several may have one target. A retry comes by a schedule, at another place; it says whose it is by three headers behind the
// message's own. Anyone may write such headers, so they count only under the schedule's id that a worker of this topic has given.
import { INSTANT_MAX, type Millis, utf8Of } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import type { Batch, Run } from './open-outputs.ts';
import type { RawOutput } from './output-record.ts';
import type { Work } from './task.ts';

const ID_HEADER = 'task-id';
const ATTEMPT_HEADER = 'task-attempt';
const DUE_HEADER = 'task-due-at';
const OWN: readonly string[] = [ID_HEADER, ATTEMPT_HEADER, DUE_HEADER];
const text = new TextDecoder();

/** The lease of a task: leases of several topics' tasks may be one pipeline's. */
export function leaseIdOf(topic: string, id: string): string {
  return `${topic}/${id}`;
}

/** `runs`: the topic on which the run lies at `raw`. */
export function workOfRun(runs: string, { key, keyText, run }: Run, { partition, offset }: RawOutput): Work {
  const of = { key, keyText, value: run.value, batch: undefined };
  const own = run.headers.slice(-OWN.length);
  const [id = '', attempt = '', dueAt = ''] = own.map(({ value }) => (value === null ? '' : text.decode(value)));
  const retry = { id, attempt: wholeIn(attempt) ?? 0, dueAt: wholeIn(dueAt) };
  if (own.every(({ name }, i) => name === OWN[i]) && run.scheduleId === retryIdOf(runs, retry))
    return { ...of, ...retry, headers: run.headers.slice(0, -OWN.length), dueAt: retry.dueAt ?? run.dueAt };
  return { ...of, id: `${partition}-${offset}`, attempt: 1, headers: run.headers, dueAt: run.dueAt };
}

export function workOfBatch({ id, key, keyText, batch }: Batch, { value }: RawOutput): Work {
  const of = { headers: [], dueAt: undefined, attempt: 1 };
  return { ...of, id, key, keyText, value: value ?? new Uint8Array(0), batch };
}

/**
 * Id of the schedule by which an attempt comes: what was asked for twice, after a crash, comes once. With the topic, as one key's
 * tasks on several targets may lie at one place of each.
 */
export function retryIdOf(runs: string, { id, attempt }: Pick<Work, 'id' | 'attempt'>): string {
  return `${runs}/${id}/${attempt}`;
}

/** Some 55 bytes more than the message's own. */
export function retryHeaders({ id, attempt, dueAt, headers }: Work): RecordHeader[] {
  const said = [id, String(attempt), String(dueAt ?? 0)];
  return [...headers, ...OWN.map((name, i) => ({ name, value: utf8Of(said[i]!) }))];
}

/** undefined: it is no whole number from 1 on. */
function wholeIn(said: string): Millis | undefined {
  const value = Number(said);
  return Number.isSafeInteger(value) && value >= 1 && value <= INSTANT_MAX ? value : undefined;
}
