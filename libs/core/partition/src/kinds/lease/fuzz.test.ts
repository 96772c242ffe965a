import { test } from '@jest/globals';
import { leaseView } from '@flatline/kinds/lease';
import { fuzzChangelog } from '../damaged-log.fixture.ts';
import { changedLease } from './changed-lease.fixture.ts';

test('[F14][K9] damaged blocks of leases are applied, or refused', () => {
  fuzzChangelog('partition/lease', changedLease(), leaseView.format);
});
