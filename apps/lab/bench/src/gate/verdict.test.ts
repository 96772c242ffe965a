import { expect, test } from '@jest/globals';
import type { FormatFigures } from '../throughput/throughput-report.ts';
import { gateVerdict, TIMES_KAFKAJS_MIN } from './verdict.ts';

function figures(flatline: number, kafkajs: number): FormatFigures {
  const contender = (name: string, max: number): unknown => ({
    contender: name,
    eventsPerCpuSecond: { median: max / 10, min: 1, max },
  });
  return { contenders: [contender('flatline', flatline), contender('kafkajs', kafkajs)] } as unknown as FormatFigures;
}

test('compares the best turns, and says what to run where Flatline has become much slower', () => {
  const limit = 1_000_000 * TIMES_KAFKAJS_MIN;
  expect(gateVerdict(figures(limit, 1_000_000), 'the command').passed).toBe(true);
  const { passed, text } = gateVerdict(figures(limit - 5_000, 1_000_000), 'the command');
  expect([passed, text.split('\n')]).toEqual([
    false,
    [
      "performance: 0.34 times kafkajs' events per CPU second (345 k to 1.00 M; at least 0.35): something has become much slower.",
      'See for yourself: the command',
    ],
  ]);
});
