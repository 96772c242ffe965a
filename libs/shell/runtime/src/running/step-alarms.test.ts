import { expect, test } from '@jest/globals';
import { StepAlarms } from './step-alarms.ts';

test('[D3] what a kind raises an alarm for is logged when it shows first, and again as it grows', () => {
  const lines: unknown[] = [];
  const log = { info: () => undefined, warn: () => undefined, error: (...line: unknown[]) => lines.push(line) };
  const input = { topic: 'in', partition: 3 };
  const kindAlarms = { schedulesParked: 'schedules are parked' };
  const alarms = new StepAlarms({ input, timestampType: 'LogAppendTime', log, kindAlarms });
  for (const schedulesParked of [0, 2, 2, 3]) alarms.noteKind({ counters: { schedulesParked } as never });
  expect(lines).toEqual([2, 3].map((schedulesParked) => ['schedules are parked', { ...input, schedulesParked }]));
});
