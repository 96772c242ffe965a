import { describe, expect, test } from '@jest/globals';
import { createColors } from 'picocolors';
import type { Seen } from './application-look.ts';
import type { PartitionRow } from './partition-rows.ts';
import { FIRST_STATE, ordered, pressed, type TopState } from './top-state.ts';
import { topLines } from './top-view.ts';

const NOW = 1_800_000_000_000;
const row = (partition: number, change: Partial<PartitionRow> = {}): PartitionRow => ({
  pipeline: 'visits',
  partition,
  role: 'owner',
  state: 'running',
  liveEntries: 10 * partition,
  lag: 100 - partition,
  clock: NOW - 1_000 * partition,
  readPerSecond: partition === 1 ? 50 : 7,
  ...change,
});
const rows = [row(0), row(1), row(2), row(3, { state: 'stopped', detail: 'R3: \x1b[2J gone' })];
const seen = (partitions: readonly PartitionRow[]): Seen => ({
  instances: [{ instance: 'a', address: 'http://h:1', ready: true, reasons: [], warnings: [] }],
  unseen: [],
  partitions,
});

function after(...keys: readonly string[]): TopState {
  return keys.reduce((state, key) => pressed(state, key, ordered(rows, state)) ?? state, FIRST_STATE);
}

const partitionsOf = (state: TopState): number[] => ordered(rows, state).map(({ partition }) => partition);

describe('keys of flatline top', () => {
  test.each([
    [[], [1, 0, 2, 3]],
    [['r'], [3, 2, 0, 1]],
    [['l'], [0, 1, 2, 3]],
    [
      ['l', 'l'],
      [3, 2, 1, 0],
    ],
    [['n'], [3, 2, 1, 0]],
    [['c'], [3, 2, 1, 0]],
    [['t'], [0, 1, 2, 3]],
    [
      ['p', 'r'],
      [3, 2, 1, 0],
    ],
    [['s'], [0, 1, 2, 3]],
    [['left'], [0, 1, 2, 3]],
  ])('%j orders', (keys, partitions) => {
    expect(partitionsOf(after(...keys))).toEqual(partitions);
  });

  test('the cursor stays on its partition when the order changes, and at the ends', () => {
    const lines = (state: TopState): string => topLines(pictured(state), createColors(false), SIZE).join('\n');
    expect(lines(after('up'))).toMatch(/▶ visits\/1 /);
    expect(lines(after('down', 'r'))).toMatch(/▶ visits\/0 /);
    expect(lines(after('down', 'down', 'down', 'down', 'down'))).toMatch(/▶ visits\/3 /);
  });

  test('q and Ctrl-C end it', () => {
    expect(pressed(FIRST_STATE, 'q', rows)).toBeUndefined();
    expect(pressed(FIRST_STATE, 'interrupt', rows)).toBeUndefined();
    expect(pressed(FIRST_STATE, 'x', rows)).toBe(FIRST_STATE);
  });
});

const SIZE = { columns: 100, rows: 12 };
const pictured = (state: TopState, partitions = rows): Parameters<typeof topLines>[0] => ({
  seen: seen(partitions),
  gone: undefined,
  state,
  now: NOW,
});
const plain = createColors(false);

describe('what flatline top draws', () => {
  test('a heading that says the order, a row for each partition, and the keys', () => {
    const lines = topLines(pictured(after('l')), plain, SIZE);
    expect(lines[0]).toBe('a at http://h:1 is ready: 4 partitions');
    expect(lines[2]).toMatch(/^ {2}partition +state +read\/s +lag ▼ +live +clock/);
    expect(lines[3]).toMatch(/^▶ visits\/0 +running +7 +100 +0 +0 s$/);
    expect(lines.at(-1)).toMatch(/q end$/);
  });

  test.each([40, 60, 80, 200])('fits a terminal of %d columns and 8 rows, with the cursor in sight', (columns) => {
    const many = Array.from({ length: 100 }, (_, partition) => row(partition, { readPerSecond: 200 - partition }));
    let state: TopState = FIRST_STATE;
    for (let i = 0; i < 60; i += 1) state = pressed(state, 'down', ordered(many, state))!;
    const lines = topLines(pictured(state, many), plain, { columns, rows: 8 });
    expect(lines.length).toBeLessThanOrEqual(8);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toContain('▶ visits/60 ');
  });

  test('a partition says all that its owner says, and no counter at 0', () => {
    const said = {
      ...row(1),
      counters: { expired: 12_345, duplicates: 0 },
      commits: { atMost: [[5, 1]], p99Ms: 7.125 },
    };
    const lines = topLines(pictured(after('enter'), [said]), plain, { columns: 90, rows: 20 }).join('\n');
    expect(lines).toMatch(/^visits\/1, running$/mu);
    expect(lines).toMatch(/counters\.expired +12,345/u);
    expect(lines).toMatch(/commits\.p99Ms +7\.13|commits\.p99Ms +7\.12/u);
    expect(lines).toMatch(/clock +2027-01-15T07:59:59\.000Z/u);
    expect(lines).not.toMatch(/duplicates|atMost/u);
  });

  test('[I3] what comes from elsewhere is shown, and not obeyed', () => {
    for (const state of [after('n'), after('n', 'enter')])
      expect(topLines(pictured(state), plain, { columns: 160, rows: 30 }).join('\n')).toContain('R3: \\u001b[2J gone');
  });

  test('where nothing answers any more it says so, over what was seen last', () => {
    const lines = topLines({ ...pictured(FIRST_STATE), gone: 'nothing answers' }, plain, SIZE).join('\n');
    expect(lines).toContain('! nothing answers; looking again');
    expect(lines).toContain('visits/1');
  });
});
