// The logs of a world of tasks as its judge reads them, by docs/FORMATS.md alone.
import type { DurationMs, Millis } from '@flatline/base';
import type { LogRecord } from '@flatline/cluster';
import type { TaskLedger } from './ledger.ts';

/** Records of a topic, by partition. */
type Topic = readonly (readonly LogRecord[])[];

export interface TaskEvidence {
  readonly rules: {
    /** The topic of runs. */
    readonly runs: string;
    readonly isLeased: boolean;
    readonly leaseTimeoutMs: DurationMs;
    readonly timeoutMs: DurationMs | undefined;
    readonly attempts: number;
    readonly firstMs: DurationMs;
    readonly mostMs: DurationMs;
    readonly retryBy: 'schedule' | 'worker';
  };
  /** Keys of the tasks that were asked for, each by one record of the schedules' input. */
  readonly asked: readonly string[];
  readonly runs: Topic;
  readonly results: Topic;
  /** Input and output of the leases. */
  readonly requests: Topic;
  readonly answers: Topic;
  readonly ledger: Pick<TaskLedger, 'begun' | 'given' | 'givenBack' | 'commits' | 'workers'>;
}

export interface ReadRun {
  readonly id: string;
  readonly attempt: number;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: Millis;
  readonly key: string;
  readonly value: Uint8Array;
}

export interface ReadOutcome {
  readonly id: string;
  readonly state: 'DONE' | 'FAILED' | 'POISON';
  readonly attempt: number;
  readonly token?: number;
  readonly worker: string;
  readonly finishedAt: Millis;
  readonly result?: unknown;
  readonly error?: string;
  readonly retryAt?: Millis;
  readonly retryBy?: string;
  readonly valueBase64?: string;
  readonly timestamp: Millis;
  /** False: one before it has a higher token, or weighs more where either has none. */
  readonly counts: boolean;
}

/** A lease as its log knows it. */
export interface ReadGrant {
  /** The task's. */
  readonly id: string;
  readonly token: number;
  /** That asked for it. */
  readonly worker: string;
  /** When the records that renew it were appended. */
  readonly renewals: readonly Millis[];
  /** When its end was said. */
  endedAt: Millis;
}

const text = new TextDecoder();
const NOTHING = new Uint8Array(0);

export function runsIn({ rules, runs }: TaskEvidence): ReadRun[] {
  return runs.flatMap((records, partition) =>
    records.map((record) => {
      const { offset, timestamp, headers, key } = record;
      const value = record.value ?? NOTHING;
      const said = new Map(headers.map((each) => [each.name, each.value === null ? '' : text.decode(each.value)]));
      const at = { partition, offset, timestamp, key: text.decode(key ?? NOTHING), value };
      const [id, attempt] = [said.get('task-id'), said.get('task-attempt')];
      const isRetry = id !== undefined && said.get('flatline-schedule-id') === `${rules.runs}/${id}/${attempt}`;
      return isRetry ? { ...at, id, attempt: Number(attempt) } : { ...at, id: `${partition}-${offset}`, attempt: 1 };
    }),
  );
}

/** In the order of their partitions: those of one task as they lie there. */
export function outcomesIn({ results }: TaskEvidence): ReadOutcome[] {
  const before = new Map<string, ReadOutcome[]>();
  return results.flat().map(({ value, timestamp }) => {
    const said = JSON.parse(text.decode(value ?? NOTHING)) as Omit<ReadOutcome, 'timestamp' | 'counts'>;
    const ofTask = before.get(said.id) ?? [];
    before.set(said.id, ofTask);
    const outcome = { ...said, timestamp, counts: !ofTask.some((former) => outdoes(former, said)) };
    ofTask.push(outcome);
    return outcome;
  });
}

/** True if that record behind `former` does not count. */
function outdoes(former: ReadOutcome, { state, token }: Pick<ReadOutcome, 'state' | 'token'>): boolean {
  if (token !== undefined && former.token !== undefined) return former.token > token;
  const isEnd = former.state === 'DONE' || (former.state === 'POISON' && state === 'FAILED');
  return former.counts && isEnd && state !== 'DONE';
}

interface Said {
  readonly type: string;
  readonly leaseId: string;
  readonly token?: number;
  readonly requestId?: string;
}

/** `breaches`: told of what is granted while another has it. */
export function grantsIn({ rules, answers, requests }: TaskEvidence, breaches: string[]): ReadGrant[] {
  const renewals = renewalsIn(requests);
  return answers.flatMap((records) => {
    const live = new Map<string, ReadGrant>();
    const grants: ReadGrant[] = [];
    for (const { value, timestamp } of records) {
      if (value === null) continue;
      const { type, leaseId, token = 0, requestId = '' } = JSON.parse(text.decode(value)) as Said;
      const former = live.get(leaseId);
      if (type === 'EXPIRED' || type === 'RELEASED') {
        if (former !== undefined) former.endedAt = timestamp;
        live.delete(leaseId);
      }
      if (type !== 'GRANTED') continue;
      if (former !== undefined)
        breaches.push(`[L4] ${leaseId} is granted as ${token}, and ${former.token} is not over`);
      const [worker = ''] = requestId.split('/');
      const name = `${leaseId} ${token}`;
      const id = leaseId.slice(rules.runs.length + 1);
      const grant = { id, token, worker, renewals: renewals.get(name) ?? [], endedAt: Infinity };
      live.set(leaseId, grant);
      grants.push(grant);
    }
    return grants;
  });
}

/** By lease and token: when the records that renew it were appended. */
function renewalsIn(requests: Topic): ReadonlyMap<string, readonly Millis[]> {
  const said = new Map<string, Millis[]>();
  for (const { key, value, headers, timestamp } of requests.flat()) {
    const token = headers.find(({ name }) => name === 'flatline-token')?.value;
    if (key === null || value?.length !== 0 || token == null) continue;
    const name = `${text.decode(key)} ${text.decode(token)}`;
    said.set(name, [...(said.get(name) ?? []), timestamp]);
  }
  return said;
}
