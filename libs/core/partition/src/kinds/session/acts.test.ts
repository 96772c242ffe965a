// Acts of an operator on sessions (Q4), one at a time.
import { describe, expect, test } from '@jest/globals';
import type { DisorderSettings } from './disorder.fixture.ts';
import { WALL } from '../kind-log.fixture.ts';
import { ActsLog } from './acts.fixture.ts';

const T = 1_000_000;
/** More than are looked at with one that ends. */
const MANY = 400;

/** Sessions with a timeout of 100 on gateways. */
class Gateways extends ActsLog {
  constructor({ rules, ...others }: DisorderSettings = {}) {
    super({ rules: { timeoutMs: 100, graceMs: 0, ...rules }, tombstones: true, ...others });
  }

  on(gateway: string, key: string, after = 0): this {
    this.add(T + after, key, { type: 'CLICK', attributes: { gateway } });
    return this;
  }

  /** Each summary in short. */
  words(key = 'k'): readonly string[] {
    return this.said(key)
      .filter(({ tombstone }) => tombstone === undefined)
      .map(({ incarnation, reason, byOperator, eventCount, closedAt }) => {
        const why = `${String(reason)}${byOperator === true ? ' by operator' : ''}`;
        return `${String(incarnation)} ${why} ${String(eventCount)} at ${Number(closedAt) - T}`;
      });
  }
}

describe('an eviction', () => {
  test('[Q4] ends what has the attribute, as of its clock, and nothing else', () => {
    const log = new Gateways().on('g1', 'a').on('g2', 'b').on('g1', 'c');
    log.add(T, 'bare');
    log.evict(T + 7, 'gateway', 'g1');
    log.commit();
    expect(log.words('a')).toEqual(['3-0 EVICTED 1 at 7']);
    expect(log.words('c')).toEqual(['3-2 EVICTED 1 at 7']);
    expect([log.words('b'), log.words('bare')]).toEqual([[], []]);
    expect(log.task.liveEntries).toBe(2);
    expect(log.task.counters).toMatchObject({ closedByEviction: 2 });
    expect(log.said('a').at(-1)).toMatchObject({ tombstone: '3-0' });
  });

  test('[Q4][S3] ends a key that is touched before its turn first, with nothing of the touch, which opens the next', () => {
    const log = new Gateways().on('g1', 'k');
    log.evict(T + 5, 'gateway', 'g1');
    log.on('g1', 'k', 6).on('g2', 'k', 7);
    log.commitWith(0);
    expect(log.words()).toEqual(['3-0 EVICTED 1 at 5']);
    log.add(T + 200, null);
    log.commit();
    expect(log.words().slice(1)).toEqual(['3-2 TIMEOUT 2 at 107']);
  });

  test('[Q4] does not concern what opens, or comes to have the attribute, after its record and before its turn', () => {
    const log = new Gateways().on('g2', 'moved');
    log.add(T, 'bare');
    log.evict(T + 5, 'gateway', 'g1');
    log.on('g1', 'moved', 6).on('g1', 'bare', 6).on('g1', 'new', 6);
    log.commit();
    expect(log.task.liveEntries).toBe(3);
    expect(log.task.counters).toMatchObject({ closedByEviction: 0 });
  });

  test.each([
    [99, 'EVICTED', 99],
    [100, 'TIMEOUT', 100],
    [150, 'TIMEOUT', 100],
  ])('[Q4][S3] %i ms after the last event a session ends by %s', (after, reason, closedAt) => {
    const log = new Gateways().on('g1', 'k');
    log.evict(T + after, 'gateway', 'g1');
    log.add(T + 300, null);
    log.commitWith(0);
    log.commit();
    expect(log.words()).toEqual([`3-0 ${reason} 1 at ${closedAt}`]);
  });

  test('[Q4] has its turn in pieces, between which records are taken', () => {
    const log = new Gateways();
    for (let i = 0; i < MANY; i += 1) log.on('g1', `k${i}`);
    log.evict(T + 5, 'gateway', 'g1');
    log.commitWith(8);
    expect(log.task.counters).toMatchObject({ closedByEviction: 8 });
    log.on('g2', `k${MANY - 1}`, 6).on('g1', 'new', 6);
    log.commitWith(8);
    expect(log.task.counters).toMatchObject({ closedByEviction: 17 });
    expect(log.words(`k${MANY - 1}`)).toEqual([`3-${MANY - 1} EVICTED 1 at 5`]);
    log.commit();
    expect(log.task.counters).toMatchObject({ closedByEviction: MANY });
    expect(log.task.liveEntries).toBe(2);
  });

  test('[Q4] leaves room in a commit for what is due beside it', () => {
    const log = new Gateways({ outputBytesMax: 10_000 }).on('g2', 'other', -90);
    for (let i = 0; i < MANY; i += 1) log.on('g1', `k${i}`);
    log.evict(T + 5, 'gateway', 'g1');
    log.takeWith(MANY);
    expect(log.task.counters).toMatchObject({ closedByEviction: 16 });
    expect([log.task.isFull, log.task.canEvict, log.task.evictsNext]).toEqual([false, false, true]);
    log.add(T + 11, null);
    log.takeWith(1);
    log.commitWith(0);
    expect(log.words('other')).toEqual(['3-0 TIMEOUT 1 at 10']);
    expect(log.task.canEvict).toBe(true);
  });

  test('[Q4] does no more than it is allowed, in ends and in looks', () => {
    const log = new Gateways();
    for (let i = 0; i < MANY; i += 1) log.on('g1', `k${i}`);
    log.evict(T + 5, 'gateway', 'g1');
    log.task.limitEvictions(3);
    log.takeWith(MANY);
    expect(log.task.counters).toMatchObject({ closedByEviction: 3 });
    expect([log.task.canEvict, log.task.evictsNext, log.task.evictable]).toEqual([false, false, 0]);
    expect(log.task.expire(MANY, WALL)).toBe(false);
    log.evict(T + 5, 'gateway', 'g3');
    log.task.limitEvictions(Infinity);
    log.commit();
    const others = new Gateways();
    for (let i = 0; i < MANY; i += 1) others.on('g2', `k${i}`);
    others.evict(T + 5, 'gateway', 'g1');
    others.task.limitEvictions(1);
    others.takeWith(MANY);
    expect([others.task.isEvicting, others.task.evictable]).toEqual([true, 0]);
    others.task.limitEvictions(MANY);
    others.takeWith(MANY);
    // A look costs less than a hundredth of an end.
    expect(others.task.evictable).toBeGreaterThan(MANY - MANY / 100);
  });

  test('[Q2][Q4] ends what is waited for first, whatever it is allowed, and nothing that it does not concern', () => {
    const log = new Gateways().on('g2', 'other');
    for (let i = 0; i < MANY; i += 1) log.on('g1', `k${i}`);
    log.evict(T + 5, 'gateway', 'g1');
    log.task.limitEvictions(0);
    log.takeWith(0);
    for (const key of ['k399', 'other', 'stranger']) log.task.awaitEviction(Buffer.from(key));
    log.commitWith(1);
    expect(log.words('k399')).toEqual(['3-400 EVICTED 1 at 5']);
    expect(log.task.counters).toMatchObject({ closedByEviction: 1 });
    log.task.limitEvictions(Infinity);
    log.commit();
    expect(log.task.liveEntries).toBe(1);
  });

  test('[Q4] is not held back where a record waits until it is over', () => {
    const log = new Gateways({ outputBytesMax: 1_000_000 });
    for (let i = 0; i < MANY; i += 1) log.on('g1', `k${i}`);
    for (let i = 0; i < 200; i += 1) log.evict(T + 5, 'gateway', `g${i}`);
    log.task.limitEvictions(0);
    log.commitWith(0);
    expect(log.task.counters).toMatchObject({ closedByEviction: MANY });
    expect(log.task.evictable).toBe(0);
  });

  test('[Q4][R1] goes on with the next owner, wherever the former one was', () => {
    const log = new Gateways();
    for (let i = 0; i < MANY; i += 1) log.on('g1', `k${i}`);
    log.evict(T + 5, 'gateway', 'g1');
    let owners = 0;
    for (; owners === 0 || log.task.liveEntries > 0; owners += 1) {
      log.commitWith(owners % 3 === 0 ? 0 : 64);
      log.restart();
      if (owners > 100) throw new Error('it does not end');
    }
    expect(owners).toBeGreaterThan(5);
    const said = Object.values(log.all()).map((words) => words.filter(({ reason }) => reason === 'EVICTED').length);
    expect(said).toEqual(Array.from({ length: MANY }, () => 1));
  });

  test('[Q4] leaves nothing in the changelog once it is over, and costs a log without any nothing', () => {
    const log = new Gateways().on('g1', 'k').on('g2', 'b');
    log.commit();
    expect(log.blocks.at(-1)![2]).toBe(1);
    log.evict(T + 5, 'gateway', 'g1');
    log.commitWith(0);
    expect(log.blocks.at(-1)![2]).toBe(8);
    log.commit();
    log.on('g2', 'b', 6);
    log.commit();
    expect(log.blocks.at(-1)![2]).toBe(1);
  });

  test('[Q4] waits where as many are under way as a commit has room for', () => {
    const log = new Gateways().on('g1', 'k').on('g199', 'last');
    for (let i = 0; i < 200; i += 1) log.evict(T + 5, 'gateway', `g${i}`);
    log.commitWith(0);
    log.commit();
    expect(log.words()).toEqual(['3-0 EVICTED 1 at 5']);
    expect(log.words('last')).toEqual(['3-1 EVICTED 1 at 5']);
    expect(Math.max(...log.blocks.map(({ length }) => length))).toBeLessThan(4_096);
  });

  test.each([
    ['no value', null],
    ['no JSON', 'gateway=g1'],
    ['a list', '["gateway","g1"]'],
    ['no attribute', '{"equals":"g1"}'],
    ['a number', '{"attribute":"gateway","equals":1}'],
    ['more than is obeyed', '{"attribute":"gateway","equals":"g1","key":"k"}'],
    ['half of a surrogate pair', '{"attribute":"gateway","equals":"\\ud800"}'],
    ['a text too long', JSON.stringify({ attribute: 'gateway', equals: 'é'.repeat(257) })],
  ])('[Q4][I1] with %s is a dead letter', (_what, value) => {
    const log = new Gateways().on('g1', 'k');
    const offset = log.act(T + 5, null, 'EVICT', value);
    log.commit();
    expect(log.refused).toEqual([{ offset, reason: 'invalid-command' }]);
    expect(log.folded().refused).toEqual([offset]);
    expect(log.task.liveEntries).toBe(1);
  });

  test('[Q4][C7] ends those open sessions of a key that have the attribute, whatever the grace', () => {
    const log = new Gateways({ rules: { graceMs: 1_000 } }).on('g1', 'k').on('g2', 'k', 500).on('g1', 'k', 300);
    log.evict(T + 501, 'gateway', 'g1');
    log.commit();
    expect(log.words()).toEqual(['3-0 EVICTED 1 at 501', '3-2 EVICTED 1 at 501']);
    log.add(T + 2_000, null);
    log.commit();
    expect(log.words().slice(2)).toEqual(['3-1 TIMEOUT 1 at 1600']);
  });

  test('[Q4][S9] leaves a session that may be revised, with its reason', () => {
    const rules = { graceMs: 50, late: 'revise', revisionWindowMs: 500 } as const;
    const log = new Gateways({ rules }).on('g1', 'k');
    log.evict(T + 60, 'gateway', 'g1');
    log.commit();
    log.restart();
    log.on('g1', 'k', -95);
    log.commit();
    expect(log.words()).toEqual(['3-0 EVICTED 1 at 60', '3-0 EVICTED 2 at 60']);
    log.evict(T + 70, 'gateway', 'g1');
    log.add(T + 560, null);
    log.commit();
    expect(log.said().map(({ tombstone }) => tombstone)).toEqual([undefined, undefined, '3-0']);
  });
});

describe('an end by an operator', () => {
  test('[Q4] ends the session as it stands, and says who did it', () => {
    const log = new Gateways().on('g1', 'k');
    log.act(T + 5, 'k', 'END');
    log.commit();
    expect(log.words()).toEqual(['3-0 ENDED by operator 1 at 5']);
  });

  test('[Q4] of no session ends none', () => {
    const log = new Gateways();
    log.act(T + 5, 'k', 'END');
    log.commit();
    expect(log.all()).toEqual({});
    expect(log.task.counters).toMatchObject({ unmatchedEnds: 1 });
  });

  test('[Q4][I1] with a value is a dead letter, and no end', () => {
    const log = new Gateways().on('g1', 'k');
    log.act(T + 5, 'k', 'END', '{"type":"CLICK"}');
    log.commit();
    expect(log.refused).toMatchObject([{ reason: 'invalid-command' }]);
    expect(log.task.liveEntries).toBe(1);
  });

  test('[Q4][C7][S9] ends all open sessions of its key; the last may be revised', () => {
    const rules = { graceMs: 1_000, late: 'revise', revisionWindowMs: 5_000 } as const;
    const log = new Gateways({ rules }).on('g1', 'k').on('g2', 'k', 500);
    log.act(T + 501, 'k', 'END');
    log.commit();
    log.restart();
    expect(log.words()).toEqual(['3-0 ENDED by operator 1 at 501', '3-1 ENDED by operator 1 at 501']);
    // Late: 490 + 100 + 1 000 is before it.
    log.add(T + 1_700, null);
    log.on('g2', 'k', 490);
    log.commit();
    expect(log.words().slice(2)).toEqual(['3-1 ENDED by operator 2 at 501']);
  });
});

describe('a session whose producer is further ahead than the clock may be', () => {
  test.each(['END', 'EVICT'])(
    '[Q4][S9][C6] is closed by %s as of the clock, before it opened; its next beat opens another',
    (act) => {
      const log = new Gateways({ rules: { graceMs: 50, late: 'revise', revisionWindowMs: 200_000 } });
      // Within maxFutureMs; the clock comes to maxLeadMs.
      log.add(WALL + 120_000, 'k', { type: 'CLICK', attributes: { gateway: 'g1' } });
      log.commit();
      if (act === 'END') log.act(WALL, 'k', 'END');
      else log.evict(WALL, 'gateway', 'g1');
      log.commit();
      log.restart();
      expect(log.said('k')).toMatchObject([{ closedAt: WALL + 60_000, revision: 0 }]);
      log.add(WALL + 120_001, 'k', '');
      log.commit();
      log.restart();
      expect(log.said('k').slice(1)).toEqual([{ tombstone: '3-0' }]);
      expect(log.task.liveEntries).toBe(1);
    },
  );
});

test('[Q4][C7] sessions of a key that are due at once close together while an eviction of others is under way', () => {
  const expired = [false, true].map((isEvicting) => {
    const log = new Gateways({ rules: { graceMs: 1_000_000 } });
    for (let i = 0; i < 200; i += 1) log.on('g2', 'k', 200 * i);
    log.commitWith(0);
    if (isEvicting) log.evict(T + 40_000, 'gateway', 'g1');
    log.add(T + 2_000_000, null);
    log.on('g2', 'k', 2_000_001);
    log.commitWith(0);
    return [log.said('k').length, log.task.counters.expired];
  });
  expect(expired[1]).toEqual(expired[0]);
});
