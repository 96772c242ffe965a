// Debouncing on the engine, rule by rule: when windows fire, and what they do not take.
import { describe, expect, test } from '@jest/globals';
import { besideItemBytes } from '@flatline/kinds/debounce';
import {
  brief,
  DebounceLog,
  FLUSH,
  type Headers,
  history,
  type Row,
  T,
  waits,
  waitsAtMost,
} from './debounce.fixture.ts';

const said = (...given: Parameters<typeof history>): string[] => brief(history(...given).said());

describe('a window', () => {
  test('[B1][B3] trailing: fires waitMs after the last item, and says why, when and what of', () => {
    const log = history({}, 1_500, [0, 'a'], [400, 'b'], [500, '']);
    const item = (offset: number, after: number, value: string): object => ({
      offset,
      timestamp: T + after,
      value: new TextEncoder().encode(value),
    });
    expect(log.said()).toEqual([
      {
        windowId: '3-0',
        reason: 'QUIET',
        openedAt: T,
        firedAt: T + 1_500,
        part: 0,
        last: true,
        count: 3,
        bytes: 2,
        duplicates: 0,
        firstOffset: 0,
        lastOffset: 2,
        items: [item(0, 0, 'a'), item(1, 400, 'b'), item(2, 500, '')],
      },
    ]);
    expect(log.task.liveEntries).toBe(0);
  });

  test('[B1][B2] an item at the instant of the fire opens the next window', () => {
    expect(said({}, 9_000, [0, 'a'], [999, 'b'], [1_999, 'c'])).toEqual(['QUIET 1999 ab', 'QUIET 2999 c']);
  });

  test('[B1] window: the first item arms it, later ones do not move it, whatever they ask for', () => {
    const rules = { mode: 'window' } as const;
    expect(said({ rules }, 9_000, [0, 'a'], [999, 'b', waits(9_000)], [1_000, 'c'])).toEqual([
      'WINDOW 1000 ab',
      'WINDOW 2000 c',
    ]);
  });

  test('[B1] leading: the first item at once, what follows within the wait a second one of the same window', () => {
    const rules = { mode: 'leading' } as const;
    const log = history({ rules }, 9_000, [0, 'a'], [900, 'b'], [1_800, 'c'], [2_800, 'd'], [3_801, 'e']);
    expect(brief(log.said())).toEqual(['LEADING 0 a', 'QUIET 2800 bc', 'LEADING 2800 d', 'LEADING 3801 e']);
    expect(log.said().map(({ windowId, openedAt, firstOffset }) => [windowId, openedAt - T, firstOffset])).toEqual([
      ['3-0', 0, 0],
      ['3-0', 0, 1],
      ['3-3', 2_800, 3],
      ['3-4', 3_801, 4],
    ]);
  });

  test.each(['trailing', 'leading'] as const)('[B1] %s: maxWaitMs bounds it, fixed at opening', (mode) => {
    const rows = [0, 800, 1_600, 2_400].map((after, i): Row => [after, 'abcd'[i]!]);
    const found = said({ rules: { mode, maxWaitMs: 2_000 } }, 9_000, ...rows);
    if (mode === 'trailing') expect(found).toEqual(['MAX_WAIT 2000 abc', 'QUIET 3400 d']);
    else expect(found).toEqual(['LEADING 0 a', 'MAX_WAIT 2000 bc', 'LEADING 2400 d']);
  });

  test('[B1] maxWaitMs 0: none', () => {
    const rows = Array.from({ length: 40 }, (_, i): Row => [i * 900, 'x']);
    expect(said({ rules: { maxWaitMs: 0 } }, 99_000, ...rows)).toEqual([`QUIET ${39 * 900 + 1_000} ${'x'.repeat(40)}`]);
  });

  test('[B1] maxItems and maxBytes fire at once; an item that would go beyond maxBytes opens the next', () => {
    expect(said({ rules: { maxItems: 2 } }, 9_000, [0, 'a'], [1, 'b'], [2, 'c'])).toEqual([
      'MAX_ITEMS 1 ab',
      'QUIET 1002 c',
    ]);
    expect(said({ rules: { maxBytes: 4 } }, 9_000, [0, 'aa'], [1, 'bb'], [2, 'ccc'], [3, 'dd'])).toEqual([
      'MAX_BYTES 1 aabb',
      'MAX_BYTES 3 ccc',
      'QUIET 1003 dd',
    ]);
  });

  test.each([
    ['shorter', [waits(100)], ['QUIET 100 a']],
    ['longer', [waits(3_000)], ['QUIET 3000 a']],
    ['clamped to maxWaitMs', [waits(99_000)], ['MAX_WAIT 10000 a']],
    ['for the items that follow, too', [waits(3_000), {}], ['QUIET 3500 ab']],
    ['again by a later item, sooner', [waits(3_000), waits(10)], ['QUIET 510 ab']],
    ['a shorter maximum', [waitsAtMost(700), {}], ['MAX_WAIT 700 ab']],
    ['no longer maximum', [{ ...waits(99_000), ...waitsAtMost(99_000) }, {}], ['MAX_WAIT 10000 ab']],
    ['no maximum once it is open', [{}, waitsAtMost(600)], ['QUIET 1500 ab']],
  ])('[B1] a record asks for a wait: %s', (_, asks, expected) => {
    const rows = asks.map((headers, i): Row => [i * 500, 'ab'[i]!, headers]);
    expect(said({}, 99_000, ...rows)).toEqual(expected);
  });

  test('[B1] a shorter wait brings the timer nearer, though nothing more comes of that key', () => {
    expect(said({}, 600, [0, 'a', waits(3_000)], [500, 'b', waits(10)])).toEqual(['QUIET 510 ab']);
  });

  test.each([
    [waits('soon'), 'invalid-wait'],
    [waits(0), 'invalid-wait'],
    [waits('01'), 'invalid-wait'],
    [waitsAtMost('-1'), 'invalid-wait'],
    [waitsAtMost('9999999999999999'), 'invalid-wait'],
    [{ 'flatline-command': 'flush' }, 'invalid-command'],
  ])('[B1][I1] a header that is not understood is a dead letter: %j', (headers, reason) => {
    const log = history({}, 9_000, [0, 'a', headers], [1, 'b']);
    expect(log.refused).toEqual([{ offset: 0, reason }]);
    expect(brief(log.said())).toEqual(['QUIET 1001 b']);
  });

  test('[B2][B3] null cancels: one record that names what is gone, and no items', () => {
    const log = history({}, 9_000, [0, 'aa'], [10, 'b'], [20, null], [30, null], [40, 'c']);
    expect(brief(log.said())).toEqual(['CANCELLED 20', 'QUIET 1040 c']);
    expect(log.said()[0]).toMatchObject({ count: 2, bytes: 3, firstOffset: 0, lastOffset: 1, items: [], last: true });
    expect(log.task.counters['unmatchedCommands']).toBe(1);
  });

  test('[B3] FLUSH fires now, with a value after it was taken; without a window it does nothing', () => {
    expect(said({}, 9_000, [0, 'a'], [10, null, FLUSH], [20, null, FLUSH], [30, 'b'], [40, 'c', FLUSH])).toEqual([
      'FLUSHED 10 a',
      'FLUSHED 40 bc',
    ]);
    expect(said({}, 9_000, [5, 'a', FLUSH])).toEqual(['FLUSHED 5 a']);
    expect(said({ rules: { mode: 'leading' } }, 9_000, [5, 'a', FLUSH], [6, 'b'])).toEqual([
      'LEADING 5 a',
      'LEADING 6 b',
    ]);
  });

  test('[B2][B3] what one record cannot hold fires before it comes to that', () => {
    // 1000 − 100 − 1 for the items, each with 10 more than its value.
    const [most, rest] = ['x'.repeat(870), 'y'.repeat(10)];
    expect(said({}, 9_000, [0, most], [1, ''], [2, rest])).toEqual([`MAX_BYTES 2 ${most}`, `QUIET 1002 ${rest}`]);
  });

  test('[B2] what cannot fit alone is refused when it comes', () => {
    const log = history({}, 9_000, [0, 'a'], [1, 'x'.repeat(890)], [2, 'x'.repeat(889)]);
    expect(log.refused).toEqual([{ offset: 1, reason: 'item-too-large' }]);
    expect(log.said().map(({ reason, bytes }) => [reason, bytes])).toEqual([
      ['MAX_BYTES', 1],
      ['QUIET', 889],
    ]);
  });

  test('[B3] split: a window larger than a record comes in parts, numbered, the last one marked', () => {
    const rules = { onOversize: 'split' } as const;
    const log = history({ rules }, 9_000, ...'abcde'.split('').map((each, i): Row => [i, each.repeat(300)]));
    const parts = log.said();
    expect(parts.map(({ part, last, items }) => [part, last, items.map(({ offset }) => offset)])).toEqual([
      [0, false, [0, 1]],
      [1, false, [2, 3]],
      [2, true, [4]],
    ]);
    for (const each of parts)
      expect(each).toMatchObject({
        windowId: '3-0',
        reason: 'QUIET',
        count: 5,
        bytes: 1_500,
        firstOffset: 0,
        lastOffset: 4,
      });
  });
});

describe('[B2][I1] what cannot be taken', () => {
  test('[I7] where maxStateBytes is maxBytes no window is as large; it takes room for the window, too', () => {
    const refusedAt = (maxStateBytes: number): readonly object[] => {
      const rules = { maxBytes: 880, dedupeBy: 'id' };
      const log = new DebounceLog({ rules, maxStateBytes });
      log.add(T, 'k', 'x'.repeat(880), { id: 'i'.repeat(256) });
      log.commit();
      return log.refused;
    };
    expect(refusedAt(880)).toEqual([{ offset: 0, reason: 'state-full' }]);
    expect(refusedAt(880 + besideItemBytes(1))).toEqual([]);
  });

  test('is a dead letter with its reason, in the order of the log; nothing else is lost, and nothing stops', () => {
    const rules = { maxBytes: 880, dedupeBy: 'id' };
    const bad: readonly [string, string | null, string | null, Headers][] = [
      ['invalid-command', 'k', 'x', { 'flatline-command': 'FIRE' }],
      ['invalid-command', 'k', null, { 'flatline-command': '' }],
      ['invalid-wait', 'k', 'x', waits('1s')],
      ['invalid-wait', 'k', 'x', { ...FLUSH, ...waitsAtMost('-1') }],
      ['invalid-wait', 'k', null, waits('1e3')],
      ['item-too-large', 'k', 'x'.repeat(881), {}],
      ['item-too-large', 'a longer key '.repeat(4), 'x'.repeat(840), {}],
      ['dedupe-value-too-long', 'k', 'x', { id: 'x'.repeat(257) }],
      ['key-too-long', 'x'.repeat(600), 'x', {}],
    ];
    const log = new DebounceLog({ rules, groupMax: 4 });
    bad.forEach(([, key, value, headers], i) => {
      log.add(T + i, 'k', `${i}`);
      log.add(T + i, key, value, headers);
    });
    log.add(T + 9_000, null);
    log.commit();
    expect(log.refused).toEqual(bad.map(([reason], i) => ({ offset: 2 * i + 1, reason })));
    expect(brief(log.said())).toEqual([`QUIET ${bad.length - 1 + 1_000} ${[...bad.keys()].join('')}`]);
    expect(Object.keys(log.all())).toEqual(['k']);
  });

  test('headers that contradict each other are refused; that say the same twice are not', () => {
    const log = new DebounceLog();
    const both = (name: string, ...values: readonly string[]): Headers[] => values.map((value) => ({ [name]: value }));
    log.addWith(T, 'k', 'a', both('flatline-wait-ms', '100', '200'));
    log.addWith(T, 'k', 'b', both('flatline-command', 'FLUSH', 'CANCEL'));
    log.addWith(T, 'k', 'c', both('flatline-wait-ms', '100', '100'));
    log.add(T + 9_000, null);
    log.commit();
    expect(log.refused.map(({ reason }) => reason)).toEqual(['invalid-wait', 'invalid-command']);
    expect(brief(log.said())).toEqual(['QUIET 100 c']);
    expect(log.folded()).toMatchObject({ all: log.all(), refused: [0, 1] });
  });

  test('[B1] the recipe of a throttle: of a busy key an item at once, and one reaction more in each second', () => {
    const rules = { mode: 'leading', waitMs: 1_000, maxWaitMs: 1_001, reducer: 'last' } as const;
    const rows = Array.from({ length: 50 }, (_, i): Row => [i * 100, `${i}`]);
    expect(said({ rules }, 9_000, ...rows)).toEqual([
      'LEADING 0 0',
      'MAX_WAIT 1001 10',
      'LEADING 1100 11',
      'MAX_WAIT 2101 21',
      'LEADING 2200 22',
      'MAX_WAIT 3201 32',
      'LEADING 3300 33',
      'MAX_WAIT 4301 43',
      'LEADING 4400 44',
      'MAX_WAIT 5401 49',
    ]);
  });
});
