// Windows whose batch needs several records.
import { describe, expect, test } from '@jest/globals';
import { brief, DebounceLog, FLUSH, history, type Row, T } from './debounce.fixture.ts';

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
