import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { dueAtOf, dueLoad, othersLate } from '../tasks/due-load.ts';
import { dueRows, duePage, type DueTurn } from './due-page.ts';

const LOAD = dueLoad(1_000, 100_000);
/** Instants at which the others are seen, by how late they come; undefined: never. */
const seenLate = (lateOf: (dueAt: number) => number | undefined): readonly number[] =>
  Array.from({ length: LOAD.others }, (_, other) => {
    const dueAt = dueAtOf(LOAD, LOAD.records + other);
    const late = lateOf(dueAt);
    return late === undefined ? 0 : dueAt + late;
  });

const turn = (contender: string, cpuMs: number, count = 1_000): DueTurn => {
  const step = { elapsedMs: 500, serverCpuMs: cpuMs / 2, clientCpuMs: cpuMs / 4 };
  const ours = { ...step, processorCpuMs: cpuMs / 4, serverCompilingMs: cpuMs / 10 };
  const theirs = { ...step, clientCpuMs: cpuMs / 2 };
  const cost = contender === 'flatline' ? ours : theirs;
  const seenAt = seenLate((dueAt) => (dueAt < 101_000 ? 20 : 5));
  return {
    contender,
    messages: 1_000,
    count,
    twice: 0,
    added: cost,
    pendingBytes: 200_000,
    drained: cost,
    drainMs: 1_200,
    late: othersLate(LOAD, seenAt),
    othersMissing: 0,
  };
};

test('the page of messages that wait compares operations per CPU second with the best store, tells CPU time apart, and names what is missing', () => {
  const rows = dueRows([turn('flatline', 1_000), turn('redis', 5_000), turn('bullmq', 50_000, 900)]);
  const text = pageText(duePage('message'), rows);
  expect(text).toMatch(/flatline +0\.5 +1000 +200 +1\.2 +1000 +1000\n/);
  expect(text).toMatch(/flatline +0\.25 +0\.50 +0\.10 +0\.25 +0\.25 +0\.50 +0\.10 +0\.25\n/);
  expect(text).toMatch(/redis +– +2\.50 +– +2\.50 +– +2\.50 +– +2\.50\n/);
  expect(text).toMatch(/flatline +20 \/ 20 \/ 20 +20 \/ 20 \/ 20 +5 \/ 5 \/ 5\n/);
  expect(text).toContain('operations/CPU-s: 5.00 × the best store (at least 10: MISSED)');
  expect(text).toContain('bullmq: 100 of 1000 messages did not come in time');
});

test('others are late from their own instant on, told apart by the second in which the rest are due, and forever where they never came', () => {
  const late = othersLate(
    LOAD,
    seenLate((dueAt) => (dueAt < 100_000 ? 1 : dueAt < 101_000 ? (dueAt - 100_000) / 10 : undefined)),
  );
  expect(late).toEqual({
    before: { p50Ms: 1, p99Ms: 1, maxMs: 1 },
    within: { p50Ms: 49, p99Ms: 98, maxMs: 99 },
    after: { p50Ms: Infinity, p99Ms: Infinity, maxMs: Infinity },
  });
});

test('those that are due together are so within their second, whatever their number', () => {
  const instants = Array.from({ length: LOAD.records }, (_, number) => dueAtOf(LOAD, number));
  expect([Math.min(...instants), Math.max(...instants)]).toEqual([100_000, 100_999]);
});
