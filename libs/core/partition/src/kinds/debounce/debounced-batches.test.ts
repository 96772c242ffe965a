// Debounced batches and the part of their windows that they show.
import { describe, expect, test } from '@jest/globals';
import type { DebounceRules } from '@flatline/kinds/debounce';
import { brief, DebounceLog, type Headers, history, joined, type Row, T } from './debounce.fixture.ts';
import { text } from '../../task.fixture.ts';

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
