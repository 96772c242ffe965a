import { KIND_NAMES } from '@flatline/base';
import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { drawKind } from './draw-kind.ts';
import { missedOf } from './reach.ts';
import { REGRESSION_SEEDS } from './regression-seeds.ts';
import { liveWorld } from './world.ts';

describe('the simulation', () => {
  test.each(KIND_NAMES)('[F21] the same seed is the same world of the kind %s, to the last event', async (kind) => {
    const [first, second] = [await liveWorld(7, kind), await liveWorld(7, kind)];
    expect(second.traceHash).toBe(first.traceHash);
  });

  test('[F21] another seed is another world', async () => {
    expect((await liveWorld(8, 'session')).traceHash).not.toBe((await liveWorld(9, 'session')).traceHash);
  });

  test('seeds draw every kind', () => {
    const draws = Array.from({ length: 100 }, (_, seed) => drawKind(new Simulation({ seed }).random('kind')));
    expect(new Set(draws)).toEqual(new Set(KIND_NAMES));
  });

  test.each(REGRESSION_SEEDS)('[F21] seed $seed ($kind), which has found: $found', async ({ seed, kind }) => {
    expect((await liveWorld(seed, kind)).violations).toEqual([]);
  });

  test('a campaign in which a fault never happened says which', () => {
    expect(missedOf(new Map())).toEqual(
      expect.arrayContaining(['nemesis/kill', 'EndTxn/answerDropped', 'DeleteRecords/any', 'transactionTimeout']),
    );
    const happened = new Map(missedOf(new Map()).map((name) => [name, 1]));
    happened.delete('DeleteRecords/any');
    happened.delete('EndTxn/late');
    expect(missedOf(happened)).toEqual(expect.arrayContaining(['EndTxn/late', 'DeleteRecords/any']));
    happened.set('DeleteRecords/late', 1);
    expect(missedOf(happened)).not.toContain('DeleteRecords/any');
  });
});
