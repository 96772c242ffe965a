import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { delaysRows, type DelaysTurn, dueTogetherPage } from './delays-page.ts';

const turn = (contender: string, cpuMs: number, count = 1_000): DelaysTurn => ({
  contender,
  messages: 1_000,
  count,
  twice: 0,
  addMs: 500,
  addCpuMs: cpuMs,
  pendingBytes: 200_000,
  drainMs: 1_200,
  drainCpuMs: cpuMs,
  processorCpuMs: contender === 'flatline' ? cpuMs : undefined,
});

test('the page of messages that wait compares operations per CPU second with the best store, and names what is missing', () => {
  const rows = delaysRows([turn('flatline', 10), turn('redis', 50), turn('bullmq', 500, 900)]);
  const text = pageText(dueTogetherPage('message'), rows);
  expect(text).toMatch(/flatline +0\.5 +100 k +200 +1\.2 +100 k +100 k +0\.0/);
  expect(text).toContain('operations/CPU-s: 5.00 × the best store (at least 10: MISSED)');
  expect(text).toContain('bullmq: 100 of 1000 messages did not come in time');
});
