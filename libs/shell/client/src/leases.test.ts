import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { RecordTooLarge } from '@flatline/kafka';
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

  test('[L8] a request that is too large ends no lease but its own: refused at the call, or by the broker', async () => {
    const tooLarge = new RecordTooLarge('9 bytes too many');
    let refusesNext = true;
    const { leases } = leasesOver(() => {
      if (refusesNext) throw tooLarge;
      return undefined;
    });
    await expect(leases.acquire('a', {})).rejects.toThrow('the lease a was not got: 9 bytes too many');
    refusesNext = false;
    const [first, second] = [leases.acquire('b', {}), leases.acquire('c', {})];
    leases.acknowledged(0, 1, 1_000);
    leases.refused(0, tooLarge);
    await expect(second).rejects.toThrow('the lease c was not got: 9 bytes too many');
    leases.fail(new Error('over'));
    await expect(first).rejects.toThrow('leases cannot be kept: over');
  });
});
