// What debounced batches show of their windows, and how large ones are made.
import { describe, expect, test } from '@jest/globals';
import type { DebounceRules } from '@flatline/kinds';
import { brief, DebounceLog, FLUSH, type Headers, history, joined, type Row, T } from './debounce.fixture.ts';
import { text } from './task.fixture.ts';

describe('what a batch shows', () => {
  const id = (value: string): Headers => ({ id: value });
  const sums = (log: DebounceLog): object[] =>
    log.said().map(({ count, duplicates, bytes, firstOffset, lastOffset }) => ({
      taken: `${count} (${duplicates}) of ${bytes}`,
      from: `${firstOffset}–${lastOffset}`,
    }));

  test('[B2] dedupeBy a header: of items alike the last is shown, the others are counted; one without it is like no other', () => {
    const rows: Row[] = [
      [0, 'a', id('1')],
      [1, 'b', id('2')],
      [2, 'c'],
      [3, 'd', id('1')],
      [4, 'e'],
      [5, 'f', id('1')],
    ];
    const log = history({ rules: { dedupeBy: 'id' } }, 9_000, ...rows);
    expect(brief(log.said())).toEqual(['QUIET 1005 bcef']);
    expect(sums(log)).toEqual([{ taken: '6 (2) of 6', from: '0–5' }]);
  });

  test.each([
    ['/id', ['{"id":1,"n":1}', '{"id":2}', '{"id":1,"n":2}'], [1, 2]],
    ['/id', ['{"id":1}', '{"id":"1"}', '{"id":true}', '{"id":"true"}'], [0, 1, 2, 3]],
    ['/id', ['{"id":null}', '{"id":null}', '{"id":{}}', '{"id":{}}', '{}', '{}', 'no json', 'no json'], 'all'],
    ['/id', ['{"id":12345678901234567890}', '{"id":12345678901234567891}', '{"id":0.1}', '{"id":0.1}'], 'all'],
    ['/a/0', ['{"a":["x"]}', '{"a":["x","y"]}', '{"a":{"0":"x"}}', '{"a":"x"}'], [2, 3]],
    ['/a~1b/~0', ['{"a/b":{"~":1}}', '{"a/b":{"~":1}}'], [1]],
    ['/', ['{"":7}', '{"":7}'], [1]],
    ['/length', ['"ab"', '"cd"', '[1]', '[2]'], 'all'],
  ] as const)('[B2] dedupeBy the JSON pointer %s: %j', (dedupeBy, values, shows) => {
    const log = history({ rules: { dedupeBy } }, 9_000, ...values.map((value, i): Row => [i, value]));
    const offsets = log.said().flatMap(({ items }) => items.map(({ offset }) => offset));
    expect(offsets).toEqual(shows === 'all' ? values.map((_, i) => i) : shows);
    expect(log.folded().all).toEqual(log.all());
  });

  test('[B2][I1] what dedupeBy finds has 256 bytes at most: with more the item is a dead letter', () => {
    const log = history(
      { rules: { dedupeBy: 'id' } },
      9_000,
      [0, 'a', id('x'.repeat(256))],
      [1, 'b', id('x'.repeat(257))],
    );
    expect(log.refused).toEqual([{ offset: 1, reason: 'dedupe-value-too-long' }]);
    expect(brief(log.said())).toEqual(['QUIET 1000 a']);
  });

  test.each([
    ['first', undefined, 'QUIET 1003 a', '4 (0) of 4'],
    ['last', undefined, 'QUIET 1003 d', '4 (0) of 4'],
    ['count', undefined, 'QUIET 1003', '4 (0) of 4'],
    ['all', 'id', 'QUIET 1003 bcd', '4 (1) of 4'],
    ['first', 'id', 'QUIET 1003 b', '4 (1) of 4'],
    ['last', 'id', 'QUIET 1003 d', '4 (1) of 4'],
    ['count', 'id', 'QUIET 1003', '4 (1) of 4'],
  ] as const)('[B3] reducer %s, dedupeBy %s: %s', (reducer, dedupeBy, shows, taken) => {
    const rows: Row[] = [
      [0, 'a', id('1')],
      [1, 'b', id('2')],
      [2, 'c', id('1')],
      [3, 'd'],
    ];
    const log = history({ rules: { reducer, dedupeBy } }, 9_000, ...rows);
    expect(brief(log.said())).toEqual([shows]);
    expect(sums(log)).toEqual([{ taken, from: '0–3' }]);
  });

  test('[B3] leading, and a reducer: the first item is a batch of its own, and what follows is reduced', () => {
    const rows: Row[] = ['a', 'b', 'c', 'd'].map((value, i) => [i, value]);
    const of = (reducer: 'first' | 'last' | 'count'): DebounceLog =>
      history({ rules: { mode: 'leading', reducer } }, 9_000, ...rows);
    expect(brief(of('first').said())).toEqual(['LEADING 0 a', 'QUIET 1003 b']);
    expect(brief(of('last').said())).toEqual(['LEADING 0 a', 'QUIET 1003 d']);
    expect(brief(of('count').said())).toEqual(['LEADING 0', 'QUIET 1003']);
    expect(sums(of('count'))).toEqual([
      { taken: '1 (0) of 1', from: '0–0' },
      { taken: '3 (0) of 3', from: '1–3' },
    ]);
  });

  test.each(['first', 'last', 'count'] as const)(
    '[B3] reducer %s keeps one item at most, however many come',
    (reducer) => {
      const log = new DebounceLog({ rules: { reducer, maxWaitMs: 0, maxBytes: 1e9 }, groupMax: 32 });
      for (let i = 0; i < 2_000; i += 1) log.add(T + i, 'k', `${i}`.padEnd(500, '.'));
      log.commit();
      expect(log.task.table.states.arena.takenBytes).toBeLessThan(1_000);
      log.restart();
      log.add(T + 90_000, null);
      log.commit();
      expect(log.all()).toEqual(log.folded().all);
      expect(sums(log)).toEqual([{ taken: '2000 (0) of 1000000', from: '0–1999' }]);
    },
  );

  test('[B3] a reducer of the own: what it returns stands for the items; one that throws costs its item and nothing else', () => {
    const rules = { reducer: 'custom', reduce: joined } as const;
    const rows: Row[] = [
      [0, 'a'],
      [1, 'throw'],
      [2, 'b'],
      [3, 'nothing'],
      [4, 'x'.repeat(900)],
      [5, 'c'],
      [6, 'promise'],
      [9_000, 'd'],
    ];
    const log = history({ rules }, 20_000, ...rows);
    expect(log.refused.map(({ offset, reason }) => [offset, reason])).toEqual([
      [1, 'reducer-failed'],
      [3, 'reducer-failed'],
      [4, 'item-too-large'],
      [6, 'reducer-failed'],
    ]);
    expect(brief(log.said())).toEqual(['QUIET 1005 "abc"', 'QUIET 10000 "d"']);
    expect(sums(log)[0]).toEqual({ taken: '3 (0) of 3', from: '0–5' });
    expect(log.said()[0]!.items[0]).toMatchObject({ offset: 5, timestamp: T + 5 });
    expect(log.folded()).toMatchObject({ all: log.all(), refused: [1, 3, 4, 6] });
  });

  test('[B3][I7] an item for which there is no room is shown to the reducer once', () => {
    const seen: number[] = [];
    const reduce: DebounceRules['reduce'] = (before, item) => {
      seen.push(item.offset);
      return `${typeof before === 'string' ? before : ''}${text(item.value)}`;
    };
    const log = new DebounceLog({ rules: { reducer: 'custom', reduce }, maxStateBytes: 300 });
    log.add(T, 'k', 'a');
    log.add(T + 1, 'k', 'x'.repeat(200));
    log.add(T + 2, 'k', 'b');
    log.add(T + 9_000, null);
    log.commit();
    expect(log.refused).toEqual([{ offset: 1, reason: 'state-full' }]);
    expect(brief(log.said())).toEqual(['QUIET 1002 "ab"']);
    expect(seen).toEqual([0, 1, 2]);
  });

  test('[X6] what waits to be said of cancelled windows counts for what it holds', () => {
    const log = new DebounceLog({ batchBytesMax: 100_000, groupMax: 32 });
    for (let i = 0; i < 10; i += 1) log.add(T, `k${i}`, 'x'.repeat(50_000));
    log.commit();
    const { pendingBytes } = log.task;
    for (let i = 0; i < 10; i += 1) log.add(T + 1, `k${i}`, null);
    log.take();
    expect(log.task.pendingBytes - pendingBytes).toBeGreaterThan(10 * 50_000);
    log.commit();
    expect(brief(log.said('k3'))).toEqual(['CANCELLED 1']);
    expect(log.all()).toEqual(log.folded().all);
  });

  test('[B3] a reducer sees copies: what it does to them no other record sees', () => {
    const seen: string[] = [];
    const reduce: DebounceRules['reduce'] = (_before, { key, value, headers }) => {
      const all = [key, value, headers[0]!.value!];
      seen.push(all.map((each) => text(each)).join(' '));
      for (const each of all) each.fill(0);
      return seen.length;
    };
    const log = new DebounceLog({ rules: { reducer: 'custom', reduce } });
    log.add(T, 'k', 'v', { trace: 'h' });
    log.crash();
    log.add(T, 'k', 'v', { trace: 'h' });
    log.commit();
    expect(seen).toEqual(['k v h', 'k v h', 'k v h']);
  });

  test('[B3] what a reducer comes to fits a record, or the item is a dead letter and the window goes on without it', () => {
    const half = 'x'.repeat(500);
    const log = history({ rules: { reducer: 'custom', reduce: joined } }, 9_000, [0, half], [1, half], [2, 'y']);
    expect(log.refused).toEqual([{ offset: 1, reason: 'reduced-too-large' }]);
    expect(brief(log.said())).toEqual([`QUIET 1002 "${half}y"`]);
  });

  test('[B3] a window of another configuration goes on with no function, nor a function with it: it fires', () => {
    const log = new DebounceLog({ rules: { reducer: 'custom', reduce: joined } });
    log.add(T, 'k', 'a');
    log.commit();
    log.restart({ reducer: 'all', reduce: undefined });
    log.add(T + 1, 'k', 'b');
    log.commit();
    log.restart({ reducer: 'custom', reduce: joined });
    log.add(T + 2, 'k', 'c');
    log.add(T + 9_000, null);
    log.commit();
    expect(brief(log.said())).toEqual(['MAX_BYTES 1 "a"', 'MAX_BYTES 2 b', 'QUIET 1002 "c"']);
  });

  test('[B3] a window goes on as it was opened, whatever the configuration has come to say', () => {
    const log = new DebounceLog({ rules: { reducer: 'last' } });
    log.add(T, 'k', 'a');
    log.add(T, 'all', 'a');
    log.commit();
    log.restart({ reducer: 'all', dedupeBy: 'id' });
    log.add(T + 1, 'k', 'b', id('1'));
    log.add(T + 2, 'k', 'c', id('1'));
    log.add(T + 3, 'new', 'd', id('1'));
    log.add(T + 4, 'new', 'e', id('1'));
    log.commit();
    log.restart({ reducer: 'count', dedupeBy: undefined });
    log.add(T + 5, 'new', 'f');
    log.add(T + 9_000, null);
    log.commit();
    expect(brief(log.said('k'))).toEqual(['QUIET 1002 c']);
    expect(brief(log.said('new'))).toEqual(['QUIET 1005 ef']);
  });
});

describe('[B2][B4] a large window', () => {
  test('[B3] split: an item by which the parts would take too much fires what is there', () => {
    const rules = { onOversize: 'split', maxPartsBytes: 2_000 } as const;
    const log = history({ rules }, 9_000, ...['a', 'b', 'c', 'd'].map((each, i): Row => [i, each.repeat(600)]));
    expect(log.said().map(({ reason, count, part }) => `${reason} ${count} ${part}`)).toEqual([
      'MAX_BYTES 3 0',
      'MAX_BYTES 3 1',
      'MAX_BYTES 3 2',
      'QUIET 1 0',
    ]);
    expect(log.folded().all).toEqual(log.all());
  });

  test('[B2] small, large and small ones of a key in one commit come in their order', () => {
    const log = new DebounceLog({ rules: { onOversize: 'split' } });
    const fill = (from: number, items: number): void => {
      for (let i = 0; i < items; i += 1)
        log.add(T + from, 'k', `${from}`.padEnd(500, '.'), i === items - 1 ? FLUSH : {});
    };
    fill(1, 1);
    fill(2, 20);
    fill(3, 1);
    log.commit();
    const order = log.said().flatMap(({ items }) => items.map(({ offset }) => offset));
    expect(order).toEqual(Array.from({ length: 22 }, (_, i) => i));
  });

  test('costs its items once in the changelog, and outlives its owner', () => {
    const log = new DebounceLog({ rules: { maxWaitMs: 0, onOversize: 'split' }, batchBytesMax: 100_000, groupMax: 32 });
    const items = 6_000;
    for (let i = 0; i < items; i += 1) {
      log.add(T + Math.floor(i / 10), 'k', `${i} `.padEnd(30, '.'));
      if (i % 300 === 299) log.commit();
      if (i % 2_000 === 1_999) {
        log.restart();
        expect(log.task.changelog.changedBytes).toBe(0);
      }
    }
    expect(log.logBytes).toBeLessThan(items * 45 * 4);
    log.add(T + 99_000, null);
    log.commit();
    const offsets = log.said().flatMap((batch) => batch.items.map(({ offset }) => offset));
    expect(offsets).toEqual(Array.from({ length: items }, (_, i) => i));
    expect(log.said().length).toBeGreaterThan(2);
  });
});

describe('[B3][B4] firing a window of several parts', () => {
  const ITEMS = 3_000;
  const PART_BYTES = 100_000;
  const OTHERS = Array.from({ length: 50 }, (_, i) => `other ${i}`);

  function filled(others: readonly string[] = OTHERS): DebounceLog {
    const rules = { mode: 'window', onOversize: 'split', maxBytes: 16_000_000 } as const;
    const sizes = { batchBytesMax: PART_BYTES, owedBytesMax: 1, entriesMax: 1e5 };
    const log = new DebounceLog({ rules, ...sizes, groupMax: 32 });
    for (let i = 0; i < ITEMS; i += 1) log.add(T + Math.floor(i / 100), 'k', `${i} `.padEnd(90, '.'));
    for (const other of others) log.add(T + 100, other, 'x');
    log.commit();
    log.add(T + 5_000, null);
    log.take();
    return log;
  }

  const parts = (log: DebounceLog): string[] => log.said().map(({ reason, part }) => `${reason} ${part}`);
  const WHOLE = Array.from({ length: 4 }, (_, part) => `WINDOW ${part}`);

  test('what is due of others goes out with its first part; each commit holds a part, and none of its items in a block', () => {
    const log = filled();
    const { task } = log;
    for (let before = log.encodes; task.expire(100, 9e12); before = log.encodes)
      expect(log.encodes - before).toBeLessThanOrEqual(100);
    expect(log.encodes).toBe(OTHERS.length + 1);
    const before = log.commits.length;
    log.commit();
    const commits = log.commits.slice(before);
    expect(commits).toHaveLength(4);
    for (const { said, written } of commits) {
      expect(said).toBeLessThan(PART_BYTES);
      expect(written).toBeLessThan(2_000);
    }
    expect(task.liveEntries).toBe(0);
    expect(parts(log)).toEqual(WHOLE);
    expect(log.said().map(({ last, count }) => [last, count])).toEqual(WHOLE.map((_, part) => [part === 3, ITEMS]));
    expect(log.said().flatMap(({ items }) => items.map(({ offset }) => offset))).toEqual(
      Array.from({ length: ITEMS }, (_, i) => i),
    );
  });

  test('while others are due its parts have a share: a piece of work for each 1 024 of them', () => {
    const others = Array.from({ length: 20 * 1_024 }, (_, i) => `other ${i}`);
    const log = filled(others);
    const { task } = log;
    const left: number[] = [];
    for (let more = true; more && log.said().length < WHOLE.length;) {
      const before = log.said().length;
      more = task.expire(1_024, 9e12);
      log.cut();
      if (log.said().length > before) left.push(task.liveEntries);
    }
    // Its items are looked at once before its first part, and others are due all the while.
    expect(left).toHaveLength(WHOLE.length);
    expect(left.at(-1)).toBeGreaterThan(10 * 1_024);
    // Nor does it keep others waiting.
    expect(left.at(-1)).toBeLessThan(18 * 1_024);
    log.commit();
    expect(parts(log)).toEqual(WHOLE);
    expect(others.every((other) => log.said(other).length === 1)).toBe(true);
  });

  test('killed between two parts: what is out stays out, and the rest comes once from whoever restores it', () => {
    const log = filled();
    for (let commits = 0; commits < 2; commits += 1) {
      log.drain();
      log.cut();
      log.drain();
      log.restart();
    }
    expect(parts(log)).toEqual(WHOLE.slice(0, 2));
    expect(log.task.liveEntries).toBe(1);
    log.commit();
    expect(parts(log)).toEqual(WHOLE);
    expect(log.said().reduce((sum, { items }) => sum + items.length, 0)).toBe(ITEMS);
  });

  test('what comes of its key meanwhile is in the next window, which fires behind it, and is written once more at most', () => {
    const log = filled();
    log.drain();
    log.cut();
    log.add(T + 5_001, 'k', 'y');
    log.commit(false);
    log.restart();
    log.add(T + 5_002, 'k', 'z');
    log.add(T + 6_002, null);
    log.commit(false);
    expect(parts(log)).toEqual(WHOLE.slice(0, log.said().length));
    expect(log.task.liveEntries).toBe(1);
    log.commit();
    expect(parts(log)).toEqual([...WHOLE, 'WINDOW 0']);
    expect(brief(log.said()).at(-1)).toBe('WINDOW 6001 yz');
    expect(log.all()).toEqual(log.folded().all);
    expect(log.commits.slice(1).every(({ written }) => written < 2_000)).toBe(true);
  });

  test.each([
    ['a flush', 'y', FLUSH, 'FLUSHED'],
    ['a cancel', null, {}, 'CANCELLED'],
  ] as const)('%s of the next window waits for it, as does what follows', (_what, value, headers, reason) => {
    const log = filled();
    log.add(T + 5_001, 'k', 'x');
    log.add(T + 5_002, 'k', value, headers);
    log.add(T + 5_003, 'k', 'after');
    log.add(T + 9_000, null);
    log.commit();
    expect(parts(log)).toEqual([...WHOLE, `${reason} 0`, 'WINDOW 0']);
    expect(log.all()).toEqual(log.folded().all);
  });
});

describe('[B2][B3] an item pushes a window out that needs several records, and fires itself', () => {
  const OWES = { maxBytes: 1_500, onOversize: 'split' } as const;

  test.each([
    ['a flush', OWES, 400, FLUSH, 'FLUSHED 0'],
    ['as large as a window may be', { ...OWES, maxBytes: 800, maxItems: 3 }, 800, {}, 'MAX_BYTES 0'],
  ] as const)('%s', (_what, rules, length, headers, last) => {
    const log = new DebounceLog({ rules, batchBytesMax: 911, owedBytesMax: 1 });
    for (let i = 0; i < (rules.maxBytes === 800 ? 2 : 3); i += 1) log.add(T + i, 'k', `${i}`.repeat(399));
    log.add(T + 9, 'k', 'x'.repeat(length), headers);
    log.add(T + 10, 'k', 'after');
    log.add(T + 9_000, null);
    log.commit();
    expect(
      log
        .said()
        .map(({ reason, part }) => `${reason} ${part}`)
        .slice(-2),
    ).toEqual([last, 'QUIET 0']);
    expect(log.said().flatMap(({ items }) => items.map(({ offset }) => offset))).toEqual(
      Array.from({ length: rules.maxBytes === 800 ? 4 : 5 }, (_, i) => i),
    );
    expect(log.task.liveEntries).toBe(0);
  });

  const PART = 1_000;
  const LONG = { maxBytes: 12_000, onOversize: 'split', maxPartsBytes: 11_000 } as const;
  const LEADS = { ...LONG, mode: 'leading' } as const;

  test.each([
    ['a leading item', LEADS, [27, 400], [400, {}], ['LEADING 1', 'QUIET 1']],
    ['a leading item that is flushed', LEADS, [27, 400], [400, FLUSH], ['LEADING 1', 'LEADING 1']],
    ['a leading item of which none is shown', { ...LEADS, reducer: 'count', dedupeBy: 'id' }, [27, 400], [400, {}], []],
    ['a flush', LONG, [26, 400], [400, FLUSH], ['FLUSHED 1', 'QUIET 1']],
    ['an item that is all of a window', { ...LONG, maxBytes: 880 }, [80, 10], [880, {}], ['MAX_BYTES 1', 'QUIET 1']],
  ] as const)(
    '%s: each commit holds a part of what it pushes out, and the last one what it says',
    (_what, rules, [items, length], [ownLength, headers], tail) => {
      for (const crashes of [false, true]) {
        const log = new DebounceLog({ rules, batchBytesMax: PART, owedBytesMax: 1 });
        for (let i = 0; i < items; i += 1) log.add(T + i, 'k', `${i}`.padEnd(length, '.'));
        log.commit();
        const before = log.commits.length;
        log.add(T + 900, 'k', 'x'.repeat(ownLength), headers);
        log.take();
        log.cut();
        if (crashes) log.restart();
        log.add(T + 901, 'k', 'after');
        log.add(T + 9_000, null);
        log.commit();
        const said = log.said().map(({ reason, items: shown }) => `${reason} ${shown.length}`);
        if (tail.length > 0) expect(said.slice(-tail.length)).toEqual(tail);
        const commits = log.commits.slice(before);
        expect(Math.max(...commits.map(({ said: bytes }) => bytes))).toBeLessThanOrEqual(2 * PART);
        if (tail.length > 0) expect(commits.length).toBeGreaterThan(2);
        expect(log.all()).toEqual(log.folded().all);
        expect(log.task.liveEntries).toBe(0);
      }
    },
  );

  test.each([
    ['an item that is all of a window by its number', LONG, 26, ['MAX_ITEMS 26', 'MAX_ITEMS 27']],
    ['a leading item, which counts for no number', LEADS, 27, ['LEADING 27', 'MAX_ITEMS 27']],
  ] as const)('%s', (_what, rules, items, tail) => {
    const log = new DebounceLog({ rules, batchBytesMax: PART, owedBytesMax: 1 });
    for (let i = 0; i < items; i += 1) log.add(T + i, 'k', `${i}`.padEnd(400, '.'));
    log.commit();
    log.restart({ maxItems: 1 });
    log.add(T + 900, 'k', 'x'.repeat(400));
    log.add(T + 901, 'k', 'after');
    log.commit();
    expect(log.said().at(-3)).toMatchObject({ reason: 'MAX_BYTES', part: 12, last: true });
    const said = log.said().map(({ reason, windowId }) => `${reason} ${windowId.split('-')[1]!}`);
    expect(said.slice(-2)).toEqual(tail);
    expect(log.task.liveEntries).toBe(0);
  });

  test('a flush behind a window that was weighed for another format', () => {
    const log = new DebounceLog({ owedBytesMax: 1 });
    log.add(T, 'k', 'before');
    log.commit();
    log.restart({}, { weighing: 1 });
    log.add(T + 1, 'k', 'flushed', FLUSH);
    log.commit();
    expect(brief(log.said())).toEqual(['MAX_BYTES 1 before', 'FLUSHED 1 flushed']);
    expect(log.task.liveEntries).toBe(0);
  });
});

describe('[B2][B3] the output has another format than when items were weighed', () => {
  const HEAVIER = { weighing: 1, itemBytes: (_: Uint8Array, __: number, length: number) => 2 * length + 100 } as const;

  test('a full window comes in as many parts as it needs; the next item opens another', () => {
    const log = new DebounceLog();
    for (let i = 0; i < 4; i += 1) log.add(T + i, 'k', `${i}`.repeat(200));
    log.commit();
    log.restart({}, HEAVIER);
    log.add(T + 9, 'k', 'after');
    log.add(T + 9_000, null);
    log.commit();
    expect(log.said().map(({ reason, part, last, items }) => [reason, part, last, items.length])).toEqual([
      ['MAX_BYTES', 0, false, 1],
      ['MAX_BYTES', 1, false, 1],
      ['MAX_BYTES', 2, false, 1],
      ['MAX_BYTES', 3, true, 1],
      ['QUIET', 0, true, 1],
    ]);
  });

  test('parts that are left are cut for it: no item is lost or said twice', () => {
    const log = new DebounceLog({ rules: { onOversize: 'split' }, owedBytesMax: 1 });
    for (let i = 0; i < 20; i += 1) log.add(T + i, 'k', `${i} `.padEnd(200, '.'));
    log.add(T + 9_000, null);
    log.take();
    log.drain();
    log.cut();
    log.restart({}, HEAVIER);
    log.commit();
    const offsets = log.said().flatMap(({ items }) => items.map(({ offset }) => offset));
    expect(offsets).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(log.said().map(({ part }) => part)).toEqual(log.said().map((_, part) => part));
    expect(log.said().filter(({ last }) => last)).toHaveLength(1);
  });

  test('an item that no record of it holds stops the partition, with what to do', () => {
    const log = new DebounceLog();
    log.add(T, 'k', 'x'.repeat(600));
    log.commit();
    log.restart({}, HEAVIER);
    log.add(T + 9_000, null);
    log.take();
    expect(() => {
      log.drain();
    }).toThrow(/offset 0 takes 1300 bytes .* output\.format.*set that again/u);
  });
});
