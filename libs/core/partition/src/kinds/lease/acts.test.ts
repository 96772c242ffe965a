// Acts of an operator on leases (Q4).
import { describe, expect, test } from '@jest/globals';
import { bears, brief, LeaseLog, type LeaseSettings, START, T } from './leases.fixture.ts';

const command = (name: string): Readonly<Record<string, string>> => ({ 'flatline-command': name });
const start = (by: string): Readonly<Record<string, unknown>> => ({ ...START, attributes: { by }, waitMs: 9_000 });

function queueing(rules: LeaseSettings['rules'] = {}, settings: LeaseSettings = {}): LeaseLog {
  return new LeaseLog({ ...settings, rules: { onConflict: 'queue', ...rules } });
}

function evict(log: LeaseLog, after: number, by: string): void {
  log.add(T + after, null, { attribute: 'by', equals: by }, command('EVICT'));
}

/** Returns the answers, and compares them with the second reading of the rules. */
function said(log: LeaseLog, key = 'k'): readonly string[] {
  log.commit();
  expect(log.all()).toEqual(log.folded().all);
  return brief(log.said(key));
}

describe('a release by an operator', () => {
  test('[Q4] needs no token, says who did it, and hands the lease on', () => {
    const log = queueing({ lockDelayMs: 500 });
    log.add(T, 'k', start('a'));
    log.add(T + 1, 'k', start('b'));
    log.add(T + 5, 'k', null, command('RELEASE'));
    expect(said(log).slice(2)).toEqual(['RELEASED 1 5', '-', 'GRANTED 2 5']);
    expect(log.said()[2]).toMatchObject({ byOperator: true });
    expect(log.headersSaid()[2]).toContain('flatline-by-operator=true');
  });

  test('[Q4] of no lease is answered; with a value it is a dead letter', () => {
    const log = queueing();
    log.add(T, 'k', null, command('RELEASE'));
    const offset = log.add(T + 1, 'k', START, command('RELEASE'));
    expect(said(log)).toEqual(['REJECTED NOT_HELD 0']);
    expect(log.refused).toEqual([{ offset, reason: 'invalid-command' }]);
  });
});

describe('an eviction of leases', () => {
  test('[Q4] ends those whose holder has the attribute; who waits with it goes first, and others have their turn', () => {
    const log = queueing();
    for (const [i, by] of ['g1', 'g1', 'g2', 'g1'].entries()) log.add(T + i, 'k', start(by));
    log.add(T + 4, 'other', start('g2'));
    evict(log, 7, 'g1');
    log.add(T + 8, 'k', '', bears(1));
    expect(said(log).slice(4)).toEqual([
      'REJECTED EVICTED 7',
      'REJECTED EVICTED 7',
      'EXPIRED EVICTED 1 7',
      '-',
      'GRANTED 3 7',
      'REJECTED WRONG_TOKEN 1 8',
    ]);
    expect(said(log, 'other')).toEqual(['GRANTED 5 4']);
  });

  test('[Q4][L6] is followed by the lock delay', () => {
    const log = queueing({ lockDelayMs: 500 });
    log.add(T, 'k', start('g1'));
    evict(log, 7, 'g1');
    log.add(T + 8, 'k', start('g1'));
    log.add(T + 600, 'k', start('g1'));
    expect(said(log).slice(1)).toEqual(['EXPIRED EVICTED 1 7', '-', 'REJECTED LOCK_DELAY 8', 'GRANTED 4 600']);
  });

  test('[Q4][L6][I7] what its lock delay lets end by the clock leaves room for the record that has moved it', () => {
    const log = queueing({ lockDelayMs: 1 }, { entriesMax: 1 });
    log.add(T, 'k', start('g1'));
    evict(log, 7, 'g1');
    log.add(T + 20, 'n', start('g2'));
    expect(said(log, 'n')).toEqual(['GRANTED 3 20']);
    expect(log.refused).toEqual([]);
  });

  test('[Q4] does not concern who starts after its record, nor whose grant it brought about', () => {
    const log = queueing();
    log.add(T, 'k', start('g2'));
    log.add(T + 1, 'k', start('g2'));
    evict(log, 5, 'g1');
    evict(log, 5, 'g2');
    log.add(T + 5, 'k', start('g2'));
    log.add(T + 5, 'n', start('g2'));
    log.commit(false);
    log.restart();
    expect(said(log).slice(2)).toEqual(['REJECTED EVICTED 5', 'EXPIRED EVICTED 1 5', '-', 'GRANTED 5 5']);
    expect(said(log, 'n')).toEqual(['GRANTED 6 5']);
  });
});
