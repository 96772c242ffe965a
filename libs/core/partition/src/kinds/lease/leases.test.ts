// Leases on the engine, rule by rule. Who waits for one: lease-conflicts.test.ts; at random: lease-histories.test.ts.
import { describe, expect, test } from '@jest/globals';
import { bears, brief, END, EPOCH, history, type Row, START, T } from './leases.fixture.ts';

describe('a lease', () => {
  test('[L1] opens by a start, lives by renewals, which get no answer, and ends by a release', () => {
    const log = history(
      {},
      30_000,
      [0, { type: 'STARTED', timeoutMs: 5_000, attributes: { host: 'a' }, requestId: 'r1' }],
      [4_000, '', bears(1)],
      [8_000, { type: 'WORKING', token: 1 }],
      [9_000, { type: 'ENDED', requestId: 'r2' }, bears(1)],
    );
    const lease = { leaseId: 'k', partition: 3, token: 1, timeoutMs: 5_000, grantedAt: T, attributes: { host: 'a' } };
    expect(log.said()).toEqual([
      { ...lease, type: 'GRANTED', requestId: 'r1', deadlineAt: T + 5_000, at: T, renewals: 0, offset: 0 },
      { ...lease, type: 'RELEASED', requestId: 'r2', deadlineAt: T + 13_000, at: T + 9_000, renewals: 2, offset: 3 },
      null,
    ]);
    expect(log.headersSaid()).toEqual([
      ['flatline-incarnation=3-1', 'flatline-request-id=r1'],
      ['flatline-incarnation=3-1', 'flatline-request-id=r2'],
      ['flatline-incarnation=3-1'],
    ]);
  });

  test('[L1] expires as of its deadline, however late that is drained', () => {
    const log = history({}, 99_000, [0, START], [6_000, '', bears(1)]);
    expect(log.said().slice(1)).toEqual([
      {
        leaseId: 'k',
        type: 'EXPIRED',
        reason: 'TIMEOUT',
        token: 1,
        timeoutMs: 10_000,
        renewals: 1,
        grantedAt: T,
        deadlineAt: T + 16_000,
        at: T + 16_000,
        attributes: {},
        partition: 3,
      },
      null,
    ]);
  });

  test.each([
    [undefined, 10_000],
    [5, 1_000],
    [5_000, 5_000],
    [9e9, 60_000],
  ])('[L1] a timeout of %s ms is negotiated to %i', (timeoutMs, negotiated) => {
    const log = history({}, 0, [0, { ...START, ...(timeoutMs !== undefined && { timeoutMs }) }]);
    expect(log.said()[0]).toMatchObject({ timeoutMs: negotiated, deadlineAt: T + negotiated });
  });

  test('[L1][I2] nothing but a start opens one: a renewal or release of no lease is rejected', () => {
    const log = history(
      {},
      0,
      [0, ''],
      [1, { type: 'BEAT', attributes: { host: 'b' } }, bears(8)],
      [2, null],
      [3, END],
    );
    expect(brief(log.said())).toEqual([
      'REJECTED NOT_HELD 0',
      'REJECTED NOT_HELD 8 1',
      'REJECTED NOT_HELD 2',
      'REJECTED NOT_HELD 3',
    ]);
    expect(log.said()[1]).toEqual({
      leaseId: 'k',
      type: 'REJECTED',
      reason: 'NOT_HELD',
      token: 8,
      attributes: { host: 'b' },
      at: T + 1,
      partition: 3,
      offset: 1,
    });
    expect(log.task.liveEntries).toBe(0);
  });

  test.each([
    ['a start', START],
    ['a renewal', { type: 'BEAT' }],
    ['a release', END],
  ])('[I1][I4] %s that would be answered with more attributes than there may be is a dead letter', (_, value) => {
    const attributes = { host: 'x'.repeat(61) };
    const log = history(
      {},
      3,
      [0, START],
      [1, { ...value, attributes }, bears(8)],
      [2, { ...START, attributes }, bears(1)],
    );
    expect(brief(log.said())).toEqual(['GRANTED 1 0']);
    expect(log.refused).toEqual([{ offset: 1, reason: 'invalid-attributes' }]);
    expect(log.task.counters).toMatchObject({ leaseRenewals: 1 });
  });

  test('[L1] a start that bears the live token renews, one that bears another is a start', () => {
    const log = history({}, 11_000, [0, START], [5_000, START, bears(1)], [6_000, START, bears(10)]);
    expect(brief(log.said())).toEqual(['GRANTED 1 0', 'REJECTED HELD 6000']);
  });

  test.each([
    [5_000, 1_003_000],
    [4_000, 1_003_000],
    [4_999, 1_003_000],
    [5_001, 1_003_000],
  ])('[L2] the deadline of a lease started at %i is the end of a bucket, for touches and drains alike', (after) => {
    const bucketMs = 3_000;
    const due = (Math.floor((T + after + 10_000) / bucketMs) + 1) * bucketMs;
    const rules = { bucketMs };
    const expired = history({ rules }, due - T, [after, START]);
    expect(expired.said()[0]).toMatchObject({ deadlineAt: due });
    expect(brief(expired.said())).toEqual([`GRANTED 1 ${after}`, `EXPIRED TIMEOUT 1 ${due - T}`, '-']);
    expect(brief(history({ rules }, due - T - 1, [after, START]).said())).toHaveLength(1);
    const renewed = history({ rules }, due - T, [after, START], [due - T - 1, '', bears(1)]);
    expect(brief(renewed.said())).toHaveLength(1);
    const late = history({ rules }, due - T, [after, START], [due - T, '', bears(1)]);
    expect(brief(late.said()).slice(1)).toEqual([
      `EXPIRED TIMEOUT 1 ${due - T}`,
      '-',
      `REJECTED NOT_HELD 1 ${due - T}`,
    ]);
  });

  test('[L2] an instant that ends a bucket is rounded up to the next', () => {
    const log = history({ rules: { bucketMs: 10_000 } }, 0, [0, START]);
    expect(log.said()[0]).toMatchObject({ deadlineAt: T + 20_000 });
  });

  test('[L3] the token is the epoch times 2^40, the offset of the start and one: it grows from grant to grant, and is never 0', () => {
    const rules = { tokenEpoch: 8_191 };
    const first = 8_191 * EPOCH + 1;
    const log = history({ rules }, 0, [0, START], [1, null, bears(first)], [2, START]);
    expect(brief(log.said())).toEqual([`GRANTED ${first} 0`, `RELEASED ${first} 1`, '-', `GRANTED ${first + 2} 2`]);
    expect(Number.isSafeInteger(8_191 * EPOCH + EPOCH - 1)).toBe(true);
  });

  test('[L3] without the live token nothing is renewed or released: a zombie does not prolong its successor', () => {
    const log = history(
      {},
      30_000,
      [0, { ...START, attributes: { host: 'old' } }],
      [10_000, { ...START, attributes: { host: 'new' } }],
      [15_000, '', bears(1)],
      [16_000, { type: 'ENDED', token: 1 }],
      [17_000, null],
    );
    const wrong = { type: 'REJECTED', reason: 'WRONG_TOKEN', holder: { host: 'new' }, deadlineAt: T + 20_000 };
    expect(log.said().slice(3)).toMatchObject([
      { type: 'GRANTED', token: 2 },
      { ...wrong, token: 1, offset: 2 },
      { ...wrong, token: 1, offset: 3 },
      { ...wrong, offset: 4 },
      { type: 'EXPIRED', at: T + 20_000, renewals: 0 },
      null,
    ]);
  });

  test.each([
    [9_999, ['GRANTED 1 0']],
    [10_000, ['GRANTED 1 0', 'EXPIRED TIMEOUT 1 10000', '-', 'REJECTED NOT_HELD 1 10000']],
  ])('[L3] a renewal after %i ms of 10000', (after, said) => {
    expect(brief(history({}, after, [0, START], [after, '', bears(1)]).said())).toEqual(said);
  });
});

describe('requests, delays and outages', () => {
  test('[L5] a start repeated with the id of the one that holds or waits gets the same answer, and starts nothing', () => {
    const rules = { onConflict: 'queue' } as const;
    const [a, b] = ['a', 'b'].map((requestId) => ({ ...START, requestId }));
    const log = history(
      { rules },
      50,
      [0, a!],
      [1, a!],
      [2, b!],
      [3, { ...START, timeoutMs: 1 }, { 'flatline-request-id': 'b' }],
      [4, START],
    );
    const [granted, again, queued, stillQueued, other] = log.said();
    expect(again).toEqual({ ...granted, at: T + 1, offset: 1 });
    expect(stillQueued).toEqual({ ...queued, at: T + 3, offset: 3 });
    expect(other).toMatchObject({ type: 'QUEUED' });
    log.add(T + 60, 'k', null, bears(1));
    log.commit();
    expect(brief(log.said()).slice(5)).toEqual(['RELEASED 1 60', '-', 'GRANTED 3 60']);
  });

  test('[L6] after an expiry starts are refused for the lock delay, after a release they are not', () => {
    const rules = { lockDelayMs: 3_000 };
    const log = history({ rules }, 12_999, [0, START], [11_000, { ...START, requestId: 'r' }], [12_000, '', bears(1)]);
    expect(brief(log.said()).slice(1)).toEqual([
      'EXPIRED TIMEOUT 1 10000',
      '-',
      'REJECTED LOCK_DELAY 11000',
      'REJECTED NOT_HELD 1 12000',
    ]);
    expect(log.said()[3]).toMatchObject({ retryAt: T + 13_000, requestId: 'r' });
    expect(log.said()[3]).not.toHaveProperty('holder');
    log.add(T + 13_000, 'k', START);
    log.add(T + 13_001, 'k', null, bears(5));
    log.add(T + 13_002, 'k', START);
    log.commit();
    expect(brief(log.said()).slice(5)).toEqual(['GRANTED 5 13000', 'RELEASED 5 13001', '-', 'GRANTED 7 13002']);
  });

  test('[L6] a maximum duration is followed by the lock delay, too; a replacement is not', () => {
    const bounded = history(
      { rules: { lockDelayMs: 3_000, maxDurationMs: 5_000 } },
      8_000,
      [0, START],
      [4_000, '', bears(1)],
      [6_000, START],
      [8_000, START],
    );
    expect(brief(bounded.said()).slice(1)).toEqual([
      'EXPIRED MAX_DURATION 1 5000',
      '-',
      'REJECTED LOCK_DELAY 6000',
      'GRANTED 4 8000',
    ]);
    const rules = { lockDelayMs: 3_000, onConflict: 'replace' } as const;
    const replaced = history({ rules }, 13_000, [0, START], [1, START], [10_002, START]);
    expect(brief(replaced.said()).slice(1)).toEqual([
      'EXPIRED REPLACED 1 1',
      '-',
      'GRANTED 2 1',
      'EXPIRED TIMEOUT 2 10001',
      '-',
      'REJECTED LOCK_DELAY 10002',
    ]);
  });

  test('[L6] who waits is granted once the lock delay is over', () => {
    const rules = { onConflict: 'queue', lockDelayMs: 3_000 } as const;
    const log = history(
      { rules },
      20_000,
      [0, START],
      [1, { ...START, waitMs: 12_999 }],
      [2, { ...START, waitMs: 12_997 }],
    );
    expect(brief(log.said()).slice(3)).toEqual([
      'EXPIRED TIMEOUT 1 10000',
      '-',
      'REJECTED WAITED 12999',
      'GRANTED 2 13000',
    ]);
  });

  test('[L6] a renewer that never stops does not hold for ever', () => {
    const beats = Array.from({ length: 5 }, (_, i): Row => [(i + 1) * 5_000, '', bears(1)]);
    const log = history({ rules: { maxDurationMs: 22_000 } }, 30_000, [0, START], ...beats);
    expect(brief(log.said())).toEqual([
      'GRANTED 1 0',
      'EXPIRED MAX_DURATION 1 22000',
      '-',
      'REJECTED NOT_HELD 1 25000',
    ]);
  });

  test.each([
    ['a maximum duration', { maxDurationMs: 20_000 }, { maxDurationMs: 10_000 }, T + 20_000, 'MAX_DURATION 1 20000'],
    ['a maximum duration where there was none', {}, { maxDurationMs: 10_000 }, undefined, 'TIMEOUT 1 25000'],
    ['none where there was one', { maxDurationMs: 20_000 }, {}, T + 20_000, 'MAX_DURATION 1 20000'],
    ['a shorter bucket', { bucketMs: 7_000 }, { bucketMs: 0 }, undefined, 'TIMEOUT 1 29000'],
  ])('[L2][L6] a setting that changes, %s, is for grants to come', (_, before, after, endsAt, ended) => {
    const log = history({ rules: { onConflict: 'queue', ...before } }, 0, [0, { ...START, requestId: 'a' }]);
    for (const at of [5_000, 9_999]) log.add(T + at, 'k', '', bears(1));
    log.commit();
    log.restart({ maxDurationMs: undefined, ...after });
    log.add(T + 15_000, 'k', '', bears(1));
    log.add(T + 15_001, 'k', { ...START, requestId: 'a' });
    log.add(T + 15_002, 'k', START);
    log.add(T + 30_000, null);
    log.commit();
    const [granted, again, queued, expired, , next] = log.said();
    expect([granted?.['endsAt'], again?.['endsAt']]).toEqual([endsAt, endsAt]);
    expect(queued?.['deadlineAt']).toBe(expired?.['at']);
    expect(brief([expired!])).toEqual([`EXPIRED ${ended}`]);
    const { maxDurationMs } = log.rules;
    expect(next?.['endsAt']).toBe(maxDurationMs && Number(next?.['at']) + maxDurationMs);
  });

  test('[L7][C8] unheard time ends no lease, and is said', () => {
    const log = history({ heldTime: { unheardMs: 5_000, maxHoldMs: 600_000 } }, 300_000, [0, START]);
    expect(brief(log.said())).toEqual(['GRANTED 1 0']);
    log.add(T + 304_999, null);
    log.commit();
    expect(log.said()).toHaveLength(1);
    log.add(T + 305_000, null);
    log.commit();
    expect(log.said()[1]).toMatchObject({ type: 'EXPIRED', at: T + 305_000, heldMs: 295_000 });
  });

  test('[L7] the hold is bounded', () => {
    const log = history({ heldTime: { unheardMs: 5_000, maxHoldMs: 600_000 } }, 700_000, [0, START]);
    expect(brief(log.said())[1]).toBe('EXPIRED TIMEOUT 1 610000');
  });

  test.each([
    [START, { 'flatline-token': '1e3' }, 'invalid-token'],
    [START, { 'flatline-token': '007' }, 'invalid-token'],
    ['', { 'flatline-token': '9007199254740992' }, 'invalid-token'],
    [{ ...START, token: 4 }, { 'flatline-token': '5' }, 'invalid-token'],
    [START, { 'flatline-request-id': '' }, 'invalid-request-id'],
    [START, { 'flatline-request-id': 'x'.repeat(257) }, 'invalid-request-id'],
    [{ ...START, requestId: 'a' }, { 'flatline-request-id': 'b' }, 'invalid-request-id'],
    [{ ...START, attributes: { a: 'x'.repeat(64) } }, {}, 'invalid-attributes'],
    [{ ...START, attributes: { a: '', b: '', c: '', d: '', e: '' } }, {}, 'invalid-attributes'],
    ['garbage', {}, 'invalid-json'],
  ])('[I1] %j with %j is a dead letter: %s; the next record is taken', (value, headers, reason) => {
    const log = history({}, 5, [0, value, headers], [1, START]);
    expect(log.refused).toEqual([{ offset: 0, reason }]);
    expect(brief(log.said())).toEqual(['GRANTED 2 1']);
  });
});
