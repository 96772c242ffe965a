// Live entries of a partition as a mere reader of its changelog sees them: the same that the task has which wrote it.
import { describe, expect, test } from '@jest/globals';
import { type EntryView, HeldTime, type ShownEntry } from '@flatline/kinds';
import { debounceView } from '@flatline/kinds/debounce';
import { leaseView } from '@flatline/kinds/lease';
import { scheduleView } from '@flatline/kinds/schedule';
import { sessionView } from '@flatline/kinds/session';
import { DebounceLog } from '../kinds/debounce/debounce.fixture.ts';
import { NO_BATCH } from '../changelog/block-format.ts';
import { LeaseLog } from '../kinds/lease/leases.fixture.ts';
import { PartitionTask } from '../partition-task.ts';
import { LOST_ZONE, ScheduleLog } from '../kinds/schedule/schedules.fixture.ts';
import { begin, bytes, ListCursor, options, text } from '../task.fixture.ts';
import { StateReading } from './state-reading.ts';

const T = 1_800_000_000_000;
const PARTITION = 3;

function shown(view: EntryView, blocks: readonly Uint8Array[]): Record<string, readonly ShownEntry[]> {
  const reading = new StateReading(view.format, 7);
  blocks.forEach((block, offset) => {
    expect(reading.take(block.slice(), offset)).toBeUndefined();
  });
  expect(reading.check()).toBeUndefined();
  const held = new HeldTime({ unheardMs: 0, maxHoldMs: 1 });
  if (reading.last !== undefined) held.restore(reading.last);
  const found: Record<string, readonly ShownEntry[]> = {};
  for (const { key, entry } of reading.entries()) found[text(key)] = view.shown(entry, { partition: PARTITION, held });
  expect(Object.keys(found)).toHaveLength(reading.size);
  return found;
}

describe('what lives, read from the changelog', () => {
  test('[Q2][R1] schedules: those that are pending as of the newest commit, with all that they say', () => {
    const log = new ScheduleLog();
    log.add(T, 'anna', { 'delay-ms': 9_000, 'schedule-id': 'a', ':trace': 'x' }, 'one');
    log.add(T, 'anna', { cron: 'each 900', 'max-runs': 3, 'schedule-id': 'b' }, '');
    log.add(T, 'bert', { 'every-ms': 1_000 });
    log.commit();
    log.add(T + 1_500, 'bert', { command: 'PAUSE' });
    log.add(T + 1_500, 'gone', { 'delay-ms': 60_000 });
    log.commit();
    log.add(T + 1_600, 'gone', {}, null);
    log.commit();
    const found = shown(scheduleView, log.blocks);
    expect(Object.keys(found).sort()).toEqual(['anna', 'bert']);
    expect(found['anna']).toMatchObject([
      { scheduleId: 'a', schedule: '3-0', dueAt: T + 9_000, runs: 0, paused: false, value: bytes('one') },
      { scheduleId: 'b', schedule: '3-1', dueAt: T + 900_000, cron: 'each 900', timeZone: 'UTC', maxRuns: 3 },
    ]);
    expect(found['anna']![0]!['headers']).toEqual([{ name: 'trace', value: bytes('x') }]);
    expect(found['bert']).toMatchObject([{ scheduleId: undefined, everyMs: 1_000, runs: 1, paused: true }]);
  });

  test('[Q2][D3] schedules: which are parked, and which were paused by a command', () => {
    const knowsLostZone = { task: true, asks: 0 };
    const log = new ScheduleLog({ knowsLostZone });
    for (const id of ['lost', 'paused'])
      log.add(T, 'anna', { cron: 'each 900', 'time-zone': LOST_ZONE, 'schedule-id': id });
    log.add(T, 'anna', { command: 'PAUSE', 'schedule-id': 'paused' });
    log.commit();
    knowsLostZone.task = false;
    log.restart();
    log.add(T + 900_001, null);
    log.commit();
    expect(shown(scheduleView, log.blocks)['anna']).toMatchObject([
      { scheduleId: 'lost', paused: true, parked: true, dueAt: T + 900_000 },
      { scheduleId: 'paused', paused: true, parked: false },
    ]);
  });

  test('[Q2][R1] leases: who holds and who waits', () => {
    const log = new LeaseLog({ rules: { onConflict: 'queue' } });
    const { timeoutMs } = log.rules;
    log.add(T, 'k', { type: 'STARTED', requestId: 'r1', attributes: { host: 'a' } });
    log.add(T + 1, 'k', { type: 'STARTED', requestId: 'r2', waitMs: 5_000 });
    log.commit();
    const [lease] = shown(leaseView, log.blocks)['k']!;
    expect(lease).toMatchObject({ token: 1, grantedAt: T, deadlineAt: T + timeoutMs, requestId: 'r1' });
    expect(lease!['attributes']).toEqual(new Map([['host', 'a']]));
    expect(lease!['waiters']).toMatchObject([{ requestId: 'r2', offset: 1 }]);
  });

  test('[Q2][R1] windows of items: how much they hold', () => {
    const log = new DebounceLog();
    log.add(T, 'k', 'abc');
    log.add(T + 1, 'k', 'de');
    log.commit();
    expect(shown(debounceView, log.blocks)['k']).toMatchObject([{ windowId: '3-0', count: 2, bytes: 5 }]);
  });

  test('[Q2][R1] sessions: as their summary would say it', () => {
    const asked = options({ partition: PARTITION });
    const task = new PartitionTask(asked);
    begin(task, 0, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
    const records = [0, 1, 2].map((i) => ({ offset: i, timestamp: T + i, key: i === 1 ? 'b' : 'a', value: '' }));
    task.step(new ListCursor(records), 9, T);
    const names = { logId: 'log', owner: 'me', inputPartitions: 4, sequence: 0, commitId: 'x', previousCommitId: '' };
    const blocks = task.cut(names).blocks.map((block) => block.bytes);
    const found = shown(sessionView(asked.rules), blocks);
    expect(found['a']).toMatchObject([
      { incarnation: '3-0', startedAt: T, lastSeenAt: T + 2, deadlineAt: T + 1_002, eventCount: 2 },
    ]);
    expect(found['b']).toMatchObject([{ incarnation: '3-1', eventCount: 1 }]);
  });

  test('[R1][R3] a log that lacks a commit, or says other than what it sums up to, is not shown', () => {
    const log = new ScheduleLog();
    for (let i = 0; i < 3; i += 1) {
      log.add(T + i, `k${i}`, { 'delay-ms': 9_000 });
      log.commit();
    }
    const reading = new StateReading(scheduleView.format, 7);
    expect(reading.take(log.blocks[0]!.slice(), 0)).toBeUndefined();
    expect(reading.take(log.blocks[2]!.slice(), 2)).toContain('follows');
    const torn = new StateReading(scheduleView.format, 7);
    expect(torn.take(log.blocks[2]!.slice(), 2)).toBeUndefined();
    expect(torn.check()).toContain('entries restored');
  });
});
