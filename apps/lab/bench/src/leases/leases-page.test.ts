import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { leasesPage, leasesRows, type LeasesTurn } from './leases-page.ts';

const touched = { leases: 1_000, touches: 1_000_000, clientCpuMs: 300 };
const turns: readonly LeasesTurn[] = [
  {
    contender: 'flatline',
    ...touched,
    serverCpuMs: 750,
    brokerCpuMs: 250,
    brokerCompilingMs: 200,
    expiry: { leases: 100, ended: 100, twice: 0, drainMs: 1_500, cpuMs: 10 },
  },
  {
    contender: 'flatline JSON',
    ...touched,
    serverCpuMs: 1_500,
    brokerCpuMs: 500,
    brokerCompilingMs: undefined,
    expiry: undefined,
  },
  {
    contender: 'etcd',
    ...touched,
    serverCpuMs: 10_000,
    brokerCpuMs: undefined,
    brokerCompilingMs: undefined,
    expiry: { leases: 100, ended: 90, twice: 1, drainMs: 60_000, cpuMs: 90 },
  },
];

test('the page of leases counts the broker with the processor, compares touches with the best peer, and names ends that nothing was said of', () => {
  const text = pageText(leasesPage(2), leasesRows(turns));
  expect(text).toMatch(/flatline +1000 +1\.00 M +1\.00 M +0\.8 +0\.3 +0\.2 +0\.3 +100 +1\.5 +10\.0 k/);
  expect(text).toMatch(/flatline JSON +1000 +1\.00 M +500 k +1\.5 +0\.5 +– +0\.3 +– +– +–/);
  expect(text).toMatch(/etcd +1000 +1\.00 M +100 k +10\.0 +– /);
  expect(text).toContain('flatline, touches/CPU-s: 10.0 × the best peer (at least 10: met)');
  expect(text).toContain('flatline JSON, touches/CPU-s: 5.00 × the best peer (at least 10: MISSED)');
  expect(text).toContain('etcd: of 10 leases that were due nothing was said in time');
  expect(text).toContain('etcd: 1 ends were said twice');
});
