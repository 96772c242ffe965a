import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { RecordTooLarge } from '@flatline/kafka';
import { HeldLeases, type LeasesParts } from './leases.ts';

function leasesOver(write: LeasesParts['write']): HeldLeases {
  const { clock } = new Simulation({ seed: 1 }).start('a').ports;
  return new HeldLeases({ clock, clockSkewMs: 100, write, newRequestId: () => 'r' });
}

describe('leases whose requests cannot be sent', () => {
  test('[X5] whoever waits is told why, and so is who asks later', async () => {
    const leases = leasesOver(() => Promise.reject(new Error('not authorized')));
    const waiting = [leases.acquire('a', {}), leases.acquire('b', {})];
    for (const each of waiting) await expect(each).rejects.toThrow('leases cannot be kept: not authorized');
    await expect(leases.acquire('c', {})).rejects.toThrow('not authorized');
  });

  test('[L8] a request that is too large ends no lease but its own', async () => {
    const written: PromiseWithResolvers<number | undefined>[] = [];
    const leases = leasesOver(() => {
      const one = Promise.withResolvers<number | undefined>();
      written.push(one);
      return one.promise;
    });
    const [first, second] = [leases.acquire('a', {}), leases.acquire('b', {})];
    written[0]!.resolve(1_000);
    written[1]!.reject(new RecordTooLarge('9 bytes too many'));
    await expect(second).rejects.toThrow('the lease b was not got: 9 bytes too many');
    leases.fail(new Error('over'));
    await expect(first).rejects.toThrow('leases cannot be kept: over');
  });
});
