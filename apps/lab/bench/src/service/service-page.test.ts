import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { servicePage, serviceRows, type ServiceTurn } from './service-page.ts';

const turn = (contender: string, work: ServiceTurn['work'], cpuMs: number): ServiceTurn => ({
  contender,
  work,
  records: 1_000,
  elapsedMs: 2_000,
  cpuMs,
  peakRssBytes: 100e6,
});

test('each work compares with the first contender at the same work, by medians', () => {
  const turns = [1, 2, 9].flatMap((cpuMs) => [
    turn('flatline', 'beats', cpuMs),
    turn('kafkajs', 'beats', 3 * cpuMs),
    turn('flatline', 'outputs', 5),
    turn('kafkajs', 'outputs', 5),
  ]);
  const rows = serviceRows(turns);
  expect(rows.map(({ work, contender, timesFirst }) => [work, contender, timesFirst])).toEqual([
    ['beats', 'flatline', 1],
    ['beats', 'kafkajs', 3],
    ['outputs', 'flatline', 1],
    ['outputs', 'kafkajs', 1],
  ]);
  expect(rows[0]!.cpuUsPerRecord).toEqual({ median: 2, min: 1, max: 9 });
  const page = servicePage({ sessions: 1_000_000, bytesPerSession: 612 });
  const text = pageText(page, rows);
  for (const part of ['bare heartbeats sent', '2.00 (1.00 – 9.00)', '3.00', '500', '100 MB', '1.00 M: 612 bytes'])
    expect(text).toContain(part);
  expect(page.charts!(rows).map(({ name, bars }) => [name, bars.length])).toEqual([
    ['beats', 2],
    ['events', 0],
    ['outputs', 2],
  ]);
});
