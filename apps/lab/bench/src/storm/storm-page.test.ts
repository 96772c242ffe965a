import { describe, expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { STORM_PAGE, stormRows, type StormTurn } from './storm-page.ts';

const turn = (contender: string, drainMs: number, more: Partial<StormTurn> = {}): StormTurn => ({
  contender,
  drainMs,
  failure: undefined,
  closes: 1_000,
  closedTwice: 0,
  closedAlive: 0,
  dueWithinMs: 500,
  cpuMs: 2_000,
  brokerCpuMs: 1_500,
  brokerCompilingMs: 700,
  inputDelay: { p50Ms: 50, p99Ms: 80, maxMs: 90 },
  loopDelay: undefined,
  ...more,
});

describe('the page of a storm', () => {
  const rows = stormRows([
    turn('flatline', 2_000),
    turn('flatline', 4_000),
    turn('flatline', 3_000),
    turn('ks', 6_000, { brokerCpuMs: undefined, brokerCompilingMs: undefined, closedAlive: 7 }),
    turn('ks', 9_000, { failure: 'stopped after 180 s', cpuMs: undefined }),
  ]);
  const text = pageText(STORM_PAGE, rows);

  test("gives medians of turns, and the broker's CPU time in a column of its own, with what it took to compile", () => {
    expect(text).toMatch(
      /^flatline +1000 +0\.5 +3\.0 \(2\.0 – 4\.0\) +333 +2\.0 +500 +1\.5 +0\.7 +50\.0 \/ 80\.0 \/ 90\.0 +–$/m,
    );
    expect(text).toMatch(/^ks +1000 .* – +– +n\/a +– /m);
    expect(text).toContain('closes/s: 2.40 × the best punctuator (at least 5: MISSED)');
  });

  test('takes Flatline with packed output for no punctuator, and judges it by the one whose output is not', () => {
    const packed = stormRows([turn('flatline', 2_000), turn('flatline packed', 1_000), turn('ks', 6_000)]);
    expect(pageText(STORM_PAGE, packed)).toContain('closes/s: 3.00 × the best punctuator (at least 5: MISSED)');
    const [closes] = STORM_PAGE.charts!(packed);
    expect(closes!.bars.map(({ ours }) => ours)).toEqual([true, true, false]);
  });

  test('keeps what went wrong in any turn', () => {
    expect(text).toContain('ks: stopped after 180 s\nks: closed 7 sessions that lived');
    expect(STORM_PAGE.charts!(rows).map(({ bars }) => bars.length)).toEqual([2, 2]);
  });
});
