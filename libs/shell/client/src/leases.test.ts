import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { HeldLeases } from './leases.ts';

/** Leases of a producer that has ended. */
function leasesOver(add: () => Promise<void> | undefined): { leases: HeldLeases; simulation: Simulation } {
  const simulation = new Simulation({ seed: 1 });
  const { clock } = simulation.start('a').ports;
  const leases = new HeldLeases({ clock, clockSkewMs: 100, partitionCount: 1, add, newRequestId: () => 'r' });
  return { leases, simulation };
}

describe('leases whose requests cannot be sent', () => {
  test.each([
    [
      'at once',
      () => {
        throw new Error('not authorized');
      },
    ],
    ['later', () => Promise.reject(new Error('not authorized'))],
  ])('[X5] whoever waits is told why: %s', async (_, add) => {
    const { leases } = leasesOver(add);
    const waiting = [leases.acquire('a', {}), leases.acquire('b', {})];
    for (const each of waiting) await expect(each).rejects.toThrow('leases cannot be kept: not authorized');
    await expect(leases.acquire('c', {})).rejects.toThrow('not authorized');
  });
});
