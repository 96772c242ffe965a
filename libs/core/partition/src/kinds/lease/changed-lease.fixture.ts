import { bears, LeaseLog, START, T } from './leases.fixture.ts';

/** A commit with a lease that is waited for, and one with its renewal. */
export function changedLease(): LeaseLog {
  const log = new LeaseLog({ rules: { onConflict: 'queue', maxDurationMs: 60_000 } });
  log.add(T, 'k', { ...START, requestId: 'a', attributes: { host: 'h1' } });
  log.add(T + 10, 'k', { ...START, requestId: 'b', waitMs: 20_000 });
  log.commit();
  log.add(T + 1_000, 'k', '', bears(1));
  log.commit();
  return log;
}
