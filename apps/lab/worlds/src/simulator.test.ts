import { describe, expect, test } from '@jest/globals';
import { missedOf } from './reach.ts';
import { REGRESSION_SEEDS } from './regression-seeds.ts';
import { liveWorld } from './world.ts';

describe('the simulation', () => {
  test('[F21] the same seed is the same world, to the last event', async () => {
    const [first, second] = [await liveWorld(7), await liveWorld(7)];
    expect(second.traceHash).toBe(first.traceHash);
    expect((await liveWorld(8)).traceHash).not.toBe(first.traceHash);
  });

  test.each(REGRESSION_SEEDS)('[F21] seed $seed, which has found: $found', async ({ seed }) => {
    expect((await liveWorld(seed)).violations).toEqual([]);
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
