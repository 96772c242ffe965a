// Starts while another holds the lease, rule by rule.
import { describe, expect, test } from '@jest/globals';
import { bears, brief, history, LeaseLog, type LeaseValue, START, T } from './leases.fixture.ts';

describe('a start while another holds the lease', () => {
  const other = { type: 'STARTED', attributes: { host: 'b' }, requestId: 'b' };

  test('[L4] reject: names the holder and when it would be gone', () => {
    const log = history({}, 0, [0, { ...START, attributes: { host: 'a' } }], [1, other]);
    expect(log.said()[1]).toEqual({
      leaseId: 'k',
      type: 'REJECTED',
      reason: 'HELD',
      requestId: 'b',
      holder: { host: 'a' },
      deadlineAt: T + 10_000,
      at: T + 1,
      attributes: { host: 'b' },
      partition: 3,
      offset: 1,
    });
  });

  test('[L4] replace: the former expires and the next is granted, at once', () => {
    const log = history(
      { rules: { onConflict: 'replace' } },
      2,
      [0, START],
      [1, { ...other, timeoutMs: 2_000 }],
      [2, '', bears(1)],
    );
    expect(brief(log.said())).toEqual([
      'GRANTED 1 0',
      'EXPIRED REPLACED 1 1',
      '-',
      'GRANTED 2 1',
      'REJECTED WRONG_TOKEN 1 2',
    ]);
    log.add(T + 2_001, null);
    log.commit();
    expect(brief(log.said()).slice(5)).toEqual(['EXPIRED TIMEOUT 2 2001', '-']);
  });

  test('[L3][L4] replace, where starts wait from when it was queue: they come first, so that tokens grow', () => {
    const log = history({ rules: { onConflict: 'queue' } }, 1, [0, START], [1, START]);
    log.restart({ onConflict: 'replace' });
    log.add(T + 2, 'k', { ...START, waitMs: 0 });
    log.add(T + 3, 'k', START);
    log.add(T + 4, 'k', null, bears(1));
    log.add(T + 5, 'k', null, bears(2));
    log.add(T + 6, 'k', START);
    log.commit();
    expect(brief(log.said())).toEqual([
      'GRANTED 1 0',
      'QUEUED 1',
      'REJECTED HELD 2',
      'QUEUED 3',
      'RELEASED 1 4',
      '-',
      'GRANTED 2 4',
      'RELEASED 2 5',
      '-',
      'GRANTED 5 5',
      'EXPIRED REPLACED 5 6',
      '-',
      'GRANTED 8 6',
    ]);
  });

  test('[L4] queue: granted in the order of the log, with a release, an expiry', () => {
    const rules = { onConflict: 'queue' } as const;
    const start = (name: string): LeaseValue => ({ ...START, requestId: name });
    const log = history({ rules }, 12_000, [0, start('a')], [1, start('b')], [2, start('c')], [2_000, null, bears(1)]);
    expect(brief(log.said())).toEqual([
      'GRANTED 1 0',
      'QUEUED 1',
      'QUEUED 2',
      'RELEASED 1 2000',
      '-',
      'GRANTED 2 2000',
      'EXPIRED TIMEOUT 2 12000',
      '-',
      'GRANTED 3 12000',
    ]);
    expect(log.said().map((each) => each?.['requestId'])).toEqual([
      'a',
      'b',
      'c',
      undefined,
      undefined,
      'b',
      'b',
      undefined,
      'c',
    ]);
  });

  test('[L4] queue: as many as may wait, and none longer than it says', () => {
    const rules = { onConflict: 'queue', maxWaiters: 2 } as const;
    const waiting = (waitMs: number): LeaseValue => ({ ...START, waitMs });
    const log = history(
      { rules },
      5_000,
      [0, START],
      [1, waiting(4_000)],
      [2, waiting(3_000)],
      [3, waiting(9_000)],
      [4, waiting(0)],
    );
    expect(brief(log.said())).toEqual([
      'GRANTED 1 0',
      'QUEUED 1',
      'QUEUED 2',
      'REJECTED QUEUE_FULL 3',
      'REJECTED HELD 4',
      'REJECTED WAITED 3002',
      'REJECTED WAITED 4001',
    ]);
  });

  test('[L4][I4] no more wait than the state of an entry has room for', () => {
    const rules = { onConflict: 'queue' as const, maxWaiters: 1_024, maxAttributeBytes: 30_000_000 };
    const start = { ...START, attributes: { a: 'x'.repeat(24_000_000) } };
    const log = history({ rules }, 3, [0, START], [1, start], [2, start], [3, start]);
    expect(brief(log.said())).toEqual(['GRANTED 1 0', 'QUEUED 1', 'QUEUED 2', 'REJECTED QUEUE_FULL 3']);
  });

  test('[L4] who is granted with a shorter timeout is watched from then on', () => {
    const log = new LeaseLog({ rules: { onConflict: 'queue' } });
    log.add(T, 'k', { ...START, timeoutMs: 60_000 });
    log.add(T + 1, 'k', { ...START, timeoutMs: 1_000 });
    log.commit();
    log.add(T + 2, 'k', null, bears(1));
    log.commit();
    expect([log.timerFaults(), log.task.earliestDue()! <= T + 1_002]).toEqual([[], true]);
  });

  test('[L4] a wait that ends with the lease is granted; one behind it is told', () => {
    const rules = { onConflict: 'queue' } as const;
    const log = history(
      { rules },
      10_000,
      [0, START],
      [4_000, { ...START, waitMs: 6_000 }],
      [5_000, { ...START, waitMs: 5_000 }],
    );
    expect(brief(log.said()).slice(3)).toEqual([
      'EXPIRED TIMEOUT 1 10000',
      '-',
      'GRANTED 2 10000',
      'REJECTED WAITED 10000',
    ]);
  });
});

describe('a start that is withdrawn', () => {
  const rules = { onConflict: 'queue', maxWaiters: 2 } as const;
  const start = (requestId: string, more: object = {}): LeaseValue => ({
    ...START,
    requestId,
    attributes: { by: requestId },
    ...more,
  });
  const id = (requestId: string): Readonly<Record<string, string>> => ({ 'flatline-request-id': requestId });

  test('[L4] leaves the queue, and is told so; the next that waits is granted', () => {
    const log = history(
      { rules },
      10,
      [0, start('a')],
      [1, start('b')],
      [2, start('c')],
      [3, null, id('b')],
      [4, start('d')],
      [5, null, bears(1)],
    );
    expect(brief(log.said())).toEqual([
      'GRANTED 1 0',
      'QUEUED 1',
      'QUEUED 2',
      'REJECTED WITHDRAWN 3',
      'QUEUED 4',
      'RELEASED 1 5',
      '-',
      'GRANTED 3 5',
    ]);
    expect(log.said()[3]).toEqual({
      leaseId: 'k',
      type: 'REJECTED',
      reason: 'WITHDRAWN',
      requestId: 'b',
      holder: { by: 'a' },
      deadlineAt: T + 10_000,
      at: T + 3,
      attributes: { by: 'b' },
      partition: 3,
      offset: 3,
    });
    expect(log.headersSaid()[3]).toEqual(['flatline-request-id=b']);
  });

  test.each<[string, LeaseValue, Readonly<Record<string, string>>]>([
    ['null and the token 0', null, { ...bears(0), ...id('b') }],
    ['ENDED, all in its value', { type: 'ENDED', token: 0, requestId: 'b' }, {}],
    ['ENDED without a token', { type: 'ENDED', requestId: 'b', attributes: { any: 'thing' } }, {}],
  ])('[L4] by %s', (_, value, headers) => {
    const log = history({ rules }, 20_000, [0, start('a')], [1, start('b')], [2, value, headers]);
    expect(brief(log.said()).slice(2)).toEqual(['REJECTED WITHDRAWN 2', 'EXPIRED TIMEOUT 1 10000', '-']);
    expect(log.said()[2]).toMatchObject({ attributes: { by: 'b' } });
    expect(log.said()[2]).not.toHaveProperty('token');
  });

  test.each<[string, LeaseValue, Readonly<Record<string, string>>, string]>([
    ['an end with another id', null, id('x'), 'REJECTED WRONG_TOKEN 2'],
    ['an end with a token', null, { ...bears(8), ...id('b') }, 'REJECTED WRONG_TOKEN 8 2'],
    ['an end without an id', null, {}, 'REJECTED WRONG_TOKEN 2'],
    ['an end with the id of the holder', null, id('a'), 'REJECTED WRONG_TOKEN 2'],
    ['a renewal with its id', '', id('b'), 'REJECTED WRONG_TOKEN 2'],
  ])('[L3][L4] not by %s', (_, value, headers, refused) => {
    const log = history({ rules }, 10_000, [0, start('a')], [1, start('b')], [2, value, headers]);
    expect(brief(log.said()).slice(2)).toEqual([refused, 'EXPIRED TIMEOUT 1 10000', '-', 'GRANTED 2 10000']);
  });

  test('[L3][L4] one that is granted already, or withdrawn before, is not: its holder releases', () => {
    const log = history(
      { rules },
      10,
      [0, start('a')],
      [1, start('b')],
      [2, start('c')],
      [3, null, id('c')],
      [4, null, id('c')],
      [5, null, bears(1)],
      [6, null, id('b')],
      [7, null, bears(2)],
      [8, null, id('b')],
    );
    expect(brief(log.said()).slice(3)).toEqual([
      'REJECTED WITHDRAWN 3',
      'REJECTED WRONG_TOKEN 4',
      'RELEASED 1 5',
      '-',
      'GRANTED 2 5',
      'REJECTED WRONG_TOKEN 6',
      'RELEASED 2 7',
      '-',
      'REJECTED NOT_HELD 8',
    ]);
  });

  test('[L4][L6] during a lock delay: the last that waits leaves, and the lease is free after it', () => {
    const log = history(
      { rules: { ...rules, lockDelayMs: 5_000 } },
      20_000,
      [0, start('a')],
      [1, start('b')],
      [11_000, null, id('b')],
    );
    expect(brief(log.said()).slice(2)).toEqual(['EXPIRED TIMEOUT 1 10000', '-', 'REJECTED WITHDRAWN 11000']);
    expect(log.said()[4]).toMatchObject({ retryAt: T + 15_000 });
    expect(log.task.liveEntries).toBe(0);
  });

  test('[L4][K1] who has left is not there after a restart, nor its wait', () => {
    const log = history(
      { rules },
      3,
      [0, start('a')],
      [1, start('b', { waitMs: 500 })],
      [2, start('c')],
      [3, null, id('b')],
    );
    log.restart();
    log.add(T + 1_000, 'k', null, bears(1));
    log.commit();
    expect(brief(log.said()).slice(3)).toEqual(['REJECTED WITHDRAWN 3', 'RELEASED 1 1000', '-', 'GRANTED 3 1000']);
  });
});
