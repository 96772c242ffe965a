// Ids of tasks, and which records are retries of one.
import { expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import type { KeyedRecord } from '@flatline/kafka';
import type { RecordHeader } from '@flatline/ports';
import type { Run } from './open-outputs.ts';
import type { RawOutput } from './output-record.ts';
import { SentSchedules } from './sent-schedules.ts';
import { outcomeIn, outcomeRecord, type Standing, standingAfter, type TaskOutcome } from './task-outcome.ts';
import { FinishedTasks } from './finished-tasks.ts';
import { retryHeaders, retryIdOf, workOfRun } from './task-works.ts';

const utf8 = new TextEncoder();
const at = (partition: number, offset: number): RawOutput => ({
  partition,
  offset,
  timestamp: 0,
  key: null,
  value: null,
  headers: [],
});
const run = (headers: readonly RecordHeader[], scheduleId?: string): Run => ({
  kind: 'run',
  ...at(0, 0),
  id: '0-7/1',
  key: utf8.encode('k'),
  keyText: 'k',
  run: { schedule: '0-7', scheduleId, number: 1, dueAt: 5, value: utf8.encode('v'), headers } as Run['run'],
});
const own: readonly RecordHeader[] = [
  { name: 'twice', value: utf8.encode('1') },
  { name: 'twice', value: null },
  { name: 'task-id', value: utf8.encode('mine') },
];

test('[T1] runs of two pipelines that share a target are tasks of their own', () => {
  const [first, second] = [workOfRun('due', run([]), at(0, 3)), workOfRun('due', run([]), at(0, 4))];
  expect([first.id, second.id, first.dueAt]).toEqual(['0-3', '0-4', 5]);
});

test('[T3] a retry is the same task, with the headers as they were', async () => {
  const { clock } = new Simulation({ seed: 1 }).start('a').ports;
  const sent: KeyedRecord[] = [];
  const writer = {
    write: (record: KeyedRecord) => Promise.resolve(sent.push(record)),
    close: () => Promise.resolve(),
  };
  const schedules = new SentSchedules({ clock, topic: 's', writer });
  const first = workOfRun('due', run(own), at(2, 3));
  const retry = { ...first, attempt: 2 };
  const record = { key: first.key, value: first.value, headers: retryHeaders(retry) };
  await schedules.addRecord(record, { delay: 1, id: retryIdOf('due', retry), target: 'due' });
  const headers = sent[0]!.headers!.filter(({ name }) => !name.startsWith('flatline-'));
  expect(workOfRun('due', run(headers, 'due/2-3/2'), at(2, 9))).toEqual({ ...first, attempt: 2 });
});

test.each([
  ['no id', undefined],
  ['an id of its own', 'nightly'],
  ['the id of another attempt', 'due/2-3/3'],
  ['the id of a retry on another topic', 'other/2-3/2'],
])('[T3] headers of a retry under a schedule with %s are the message’s own', (_what, scheduleId) => {
  const headers = retryHeaders({ ...workOfRun('due', run([]), at(2, 3)), attempt: 2 });
  expect(workOfRun('due', run(headers, scheduleId), at(0, 1))).toMatchObject({ id: '0-1', attempt: 1, headers });
});

const outcome = (fields: Partial<TaskOutcome>): TaskOutcome => ({
  id: 'a',
  key: 'k',
  state: 'DONE',
  attempt: 1,
  finishedAt: 0,
  tookMs: 0,
  worker: 'w',
  ...fields,
});

/** The state that stands after records of those states and tokens. */
function standsAfter(...said: readonly (readonly [TaskOutcome['state'], number?])[]): string {
  let standing: Standing<TaskOutcome> | undefined;
  for (const [state, token] of said) standing = standingAfter(standing, outcome({ state, token }));
  return standing!.outcome.state;
}

test('[T2] the outcome of a later grant is not replaced by one that was late', () => {
  expect(standsAfter(['FAILED', 2], ['DONE', 1])).toBe('FAILED');
  expect(standsAfter(['FAILED', 2], ['DONE', 2])).toBe('DONE');
  expect(standsAfter(['DONE', 2], ['FAILED', 3])).toBe('FAILED');
  // Also where one that has no token came between.
  expect(standsAfter(['FAILED', 9], ['FAILED'], ['DONE', 5])).toBe('FAILED');
});

test('[T2] where tokens do not tell, nothing lighter stands behind an end', () => {
  expect(standsAfter(['DONE'], ['FAILED'])).toBe('DONE');
  expect(standsAfter(['DONE', 2], ['POISON'])).toBe('DONE');
  expect(standsAfter(['POISON'], ['FAILED', 3])).toBe('POISON');
  expect(standsAfter(['POISON'], ['DONE'])).toBe('DONE');
  expect(standsAfter(['FAILED'], ['FAILED'], ['POISON'])).toBe('POISON');
});

test('[T2] of all sequences of up to four records that one stands which FORMATS has, tokens or none', () => {
  type Said = readonly [TaskOutcome['state'], number?];
  const records = (['FAILED', 'POISON', 'DONE'] as const).flatMap((state): Said[] => [[state], [state, 3], [state, 4]]);
  const weight = ([state]: Said): number => ['FAILED', 'POISON', 'DONE'].indexOf(state);
  // The words of the page, one after the other.
  const lastThatCounts = (said: readonly Said[]): Said => {
    const counting: Said[] = [];
    for (const [index, each] of said.entries()) {
      const [, token] = each;
      const isLate = said.slice(0, index).some(([, before]) => token !== undefined && (before ?? 0) > token);
      const isLighter = counting.some(
        (before) => (token === undefined || before[1] === undefined) && weight(each) < weight(before),
      );
      if (!isLate && !isLighter) counting.push(each);
    }
    return counting.at(-1)!;
  };
  let sequences: readonly (readonly Said[])[] = records.map((each) => [each]);
  for (let length = 1; length <= 4; length += 1) {
    for (const said of sequences) expect([said, standsAfter(...said)]).toEqual([said, lastThatCounts(said)[0]]);
    sequences = sequences.flatMap((said) => records.map((each) => [...said, each]));
  }
});

test.each([
  ['of no form that has one', '7'],
  ['without an id', '{"state":"DONE","attempt":1}'],
  ['of a state that is none', '{"id":"a","state":"OVER","attempt":1}'],
  ['whose attempt is a text', '{"id":"a","state":"FAILED","attempt":"1","retryBy":"worker"}'],
  ['whose attempt is none', '{"id":"a","state":"FAILED","attempt":0,"retryBy":"worker"}'],
  ['whose time is a text', '{"id":"a","state":"FAILED","attempt":1,"retryBy":"worker","retryAt":"soon"}'],
  ['whose token is a text', '{"id":"a","state":"DONE","attempt":1,"token":"9"}'],
])('[T1] a record %s is no outcome', (_what, said) => {
  expect(outcomeIn(new TextEncoder().encode(said))).toBeUndefined();
});

test('[T2] results tell which attempts need not be begun', async () => {
  const simulation = new Simulation({ seed: 1 });
  const { reader } = simulation.start('a').ports;
  simulation.log.createTopic('r', { partitions: 1 });
  const say = (fields: Partial<TaskOutcome>): void => {
    const { key, value } = outcomeRecord(outcome(fields));
    simulation.log.produce('r', 0, { key: new TextDecoder().decode(key), value: new TextDecoder().decode(value) });
  };
  say({ id: 'before' });
  say({ id: 'done' });
  say({ id: 'by-schedule', state: 'FAILED', attempt: 2, retryBy: 'schedule' });
  say({ id: 'by-worker', state: 'FAILED', attempt: 2, retryBy: 'worker', retryAt: 7_000 });
  const finished = new FinishedTasks({
    reader,
    topic: 'r',
    starts: new Map([[0, 1]]),
    endOf: () => Promise.resolve(4),
  });
  const asked = [
    ['before', 1],
    ['done', 9],
    ['by-schedule', 2],
    ['by-schedule', 3],
    ['by-worker', 1],
    ['by-worker', 3],
  ] as const;
  const answers = Promise.all(asked.map(([id, attempt]) => finished.known(id, attempt)));
  await simulation.time.runFor(1_000);
  const next = { attempt: 3, retryAt: 7_000 };
  expect(await answers).toEqual([undefined, 'finished', 'finished', undefined, next, undefined]);
});

test('[T2] of several records of a task the last one tells that is not late', async () => {
  const simulation = new Simulation({ seed: 1 });
  const { reader } = simulation.start('a').ports;
  simulation.log.createTopic('r', { partitions: 1 });
  const failed = { state: 'FAILED', retryBy: 'schedule' } as const;
  const said: readonly Partial<TaskOutcome>[] = [
    // Done by one whose lease had ended before its record came: the next holder has failed, and its retry is to be made.
    { id: 'late', ...failed, token: 9 },
    { id: 'late', token: 5 },
    // The same, and the record came while the next was at work.
    { id: 'between', token: 5 },
    { id: 'between', ...failed, token: 9 },
    { id: 'waits', ...failed, retryBy: 'worker', token: 9 },
    { id: 'waits', token: 5 },
    { id: 'done', token: 9 },
    { id: 'done', ...failed, attempt: 2, token: 5 },
    // Without leases: one that stood still tries its attempt no more, which another has done.
    { id: 'apart' },
    { id: 'apart', ...failed },
    // A record without a token says nothing of the others' order.
    { id: 'mixed', ...failed, token: 9 },
    { id: 'mixed', ...failed },
    { id: 'mixed', token: 5 },
  ];
  for (const fields of said) {
    const { key, value } = outcomeRecord(outcome(fields));
    simulation.log.produce('r', 0, { key: new TextDecoder().decode(key), value: new TextDecoder().decode(value) });
  }
  let ends = said.length;
  const finished = new FinishedTasks({
    reader,
    topic: 'r',
    starts: new Map([[0, 0]]),
    endOf: () => Promise.resolve(ends),
  });
  const answers = Promise.all(
    [1, 2].flatMap((attempt) =>
      ['late', 'between', 'waits', 'done', 'apart', 'mixed'].map((id) => finished.known(id, attempt)),
    ),
  );
  await simulation.time.runFor(1_000);
  const [first, second] = [(await answers).slice(0, 6), (await answers).slice(6)];
  const [yes, no] = ['finished', undefined];
  expect(first).toEqual([yes, yes, { attempt: 2, retryAt: 0 }, yes, yes, yes]);
  expect(second).toEqual([no, no, no, yes, yes, no]);
  // It is not on what was heard so far that an answer rests.
  const { key, value } = outcomeRecord(outcome({ id: 'done', ...failed, token: 11 }));
  simulation.log.produce('r', 0, { key: new TextDecoder().decode(key), value: new TextDecoder().decode(value) });
  ends += 1;
  const answer = finished.known('done', 2);
  await simulation.time.runFor(1_000);
  expect(await answer).toBeUndefined();
});
