import { expect, test } from '@jest/globals';
import { type GateCosts, gateVerdict, TIMES_KAFKAJS_MIN } from './verdict.ts';

/** Turns at these rates, in thousands of events per CPU second. */
function costs(flatline: readonly number[], kafkajs: readonly number[]): GateCosts {
  const cost = (rate: number): GateCosts['kafkajs'][number] => ({ records: rate * 1_000, cpuMs: 1_000 });
  return { flatline: flatline.map(cost), kafkajs: kafkajs.map(cost) };
}

test.each(['bare', 'json'] as const)('half the throughput of %s events is red, whatever the machine', (format) => {
  const usual = { bare: 5.1, json: 2.3 }[format];
  expect(TIMES_KAFKAJS_MIN[format]).toBeLessThan(usual * 0.7);
  for (const kafkajs of [200, 900, 2_000]) {
    expect(gateVerdict(format, costs([usual * kafkajs], [kafkajs])).passed).toBe(true);
    expect(gateVerdict(format, costs([(usual / 2) * kafkajs], [kafkajs])).passed).toBe(false);
  }
});

test('one fast turn does not hide slow ones, nor one slow turn fast ones', () => {
  expect(gateVerdict('bare', costs([1_800, 4_500, 1_700], [900, 900, 900])).passed).toBe(false);
  expect(gateVerdict('bare', costs([4_600, 1_000, 4_500], [900, 900, 300])).passed).toBe(true);
});

test('says what it compared', () => {
  expect(gateVerdict('json', costs([900, 1_000, 1_100], [800, 800, 800])).text).toBe(
    "performance: json events 1.25 times kafkajs' per CPU second, at least 1.35: 1.00 M (900 k – 1.10 M) to 800 k. " +
      'Something has become much slower',
  );
});
