// Windows that no longer fit: pushed out by an item, or weighed for another format.
import { describe, expect, test } from '@jest/globals';
import { brief, DebounceLog, FLUSH, T } from './debounce.fixture.ts';

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
