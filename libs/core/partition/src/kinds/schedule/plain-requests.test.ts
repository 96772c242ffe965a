// Requests that are found in their records' bytes, beside the same that are read from their headers.
import { expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import { bytes, ListCursor, type TestRecord } from '../../task.fixture.ts';
import { WALL } from '../kind-log.fixture.ts';
import { ScheduleLog, type ScheduleSettings, T } from './schedules.fixture.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 20);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const HORIZON_MS = 10_000;
/** Bytes of a message; value and headers below come to about as many. */
const MESSAGE_BYTES_MAX = 300;

function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)]!;
}

function randomSettings(random: Random): ScheduleSettings {
  const rules = {
    maxHorizonMs: HORIZON_MS,
    maxMessageBytes: MESSAGE_BYTES_MAX,
    receipts: pick(random, ['none', 'none', 'errors', 'all'] as const),
    maxSchedulesPerKey: 1 + random.below(3),
  };
  const cutBytes = random.chance(0.3) ? 600 : undefined;
  const maxStateBytes = random.chance(0.3) ? 1_200 : undefined;
  const groupMax = 1 + random.below(6);
  return {
    rules,
    groupMax,
    ...(cutBytes !== undefined && { cutBytes }),
    ...(maxStateBytes !== undefined && { maxStateBytes }),
  };
}

/** At the edges of what a schedule may be due at, and beside them. */
function randomInstant(random: Random, now: number): string {
  const offsets = [-1, 0, 1, 2_500, HORIZON_MS - 1, HORIZON_MS, HORIZON_MS + 1, -400 * 86_400_000];
  const odd = [
    '',
    '-5',
    '0',
    '999999999999999',
    '9007199254740991',
    '08640000000000001',
    'soon',
    new Date(now + 700).toISOString(),
  ];
  return random.chance(0.1) ? pick(random, odd) : String(now + pick(random, offsets));
}

function randomDelay(random: Random): string {
  return pick(random, ['0', '1', '00700', String(HORIZON_MS), String(HORIZON_MS + 1), '1e3', '9007199254740991']);
}

function randomHeader(random: Random, now: number): RecordHeader {
  const [name, value] = pick(random, [
    ['flatline-due-at', randomInstant(random, now)],
    ['flatline-delay-ms', randomDelay(random)],
    ['flatline-schedule-id', pick(random, ['tea', 'thé', '', 'x'.repeat(256), 'x'.repeat(257)])],
    ['flatline-expires-ms', '60'],
    ['flatline-jitter-ms', '500'],
    ['flatline-upsert', 'reset'],
    ['flatline-target', pick(random, ['mail', 'runs-out', 'none'])],
    ['flatline-command', pick(random, ['PAUSE', 'STOP'])],
    ['flatline-every-ms', '900'],
    ['flatline-replayed-from', 'x'],
    ['trace', pick(random, ['', 'ab', 'y'.repeat(MESSAGE_BYTES_MAX - 9), 'y'.repeat(MESSAGE_BYTES_MAX)])],
    [pick(random, ['', 'flatline', 'é', '\ufeffa', '__proto__']), 'x'],
  ]);
  return { name, value: random.chance(0.03) ? null : bytes(value) };
}

/** Half of them are plain, and wait. */
function randomHeaders(random: Random, now: number): readonly RecordHeader[] {
  const isSound = random.chance(0.5);
  const dueAt = isSound ? String(now + 1 + random.below(HORIZON_MS)) : randomInstant(random, now);
  const due = { name: 'flatline-due-at', value: bytes(dueAt) };
  const delay = { name: 'flatline-delay-ms', value: bytes(randomDelay(random)) };
  if (isSound) return [due, { name: 'trace', value: bytes('ab') }].slice(0, 1 + random.below(2));
  const others = Array.from({ length: random.below(3) }, () => randomHeader(random, now));
  const at = random.below(others.length + 1);
  return random.chance(0.9) ? others.toSpliced(at, 0, pick(random, [due, due, delay])) : others;
}

/** The same records, commits and restarts for each of the logs. */
function live(logs: readonly ScheduleLog[], random: Random): void {
  const each = (act: (log: ScheduleLog) => void): void => {
    logs.forEach(act);
  };
  let at = T;
  for (let i = 0; i < 150; i += 1) {
    at += random.chance(0.1) ? random.below(6_000) : random.below(100);
    const headers = random.chance(0.03) ? [] : randomHeaders(random, at);
    const value = pick(random, ['', 'v', 'm'.repeat(MESSAGE_BYTES_MAX - 1), 'm'.repeat(MESSAGE_BYTES_MAX), null]);
    const record = { timestamp: at, key: `k${random.below(40)}`, value: random.chance(0.7) ? 'v' : value, headers };
    each((log) => log.append(record));
    const drains = random.chance(0.5);
    if (!random.chance(0.2)) continue;
    each((log) => {
      log.commit(drains);
    });
    if (random.chance(0.2))
      each((log) => {
        log.restart();
      });
  }
  each((log) => {
    log.add(at + 100_000, null);
    log.commit();
  });
}

test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
  '[D1][I1][C5] seed %i: both come to the same blocks, outputs and dead letters, word for word (rerun: SEED)',
  (seed) => {
    const random = seededRandom(seed);
    const settings = randomSettings(random);
    const [found, read] = [new ScheduleLog(settings), new ScheduleLog({ ...settings, headersInBytes: false })];
    live([found, read], random);
    const shown = (log: ScheduleLog): object => {
      const { refused, details, task } = log;
      const blocks = log.blocks.map((block) => Buffer.from(block).toString('hex'));
      return { blocks, said: log.all(), refused, details, counters: task.counters };
    };
    expect(shown(found)).toEqual(shown(read));
    // The oracle knows no bound on all states.
    if (settings.maxStateBytes !== undefined) return;
    const { all, refused } = found.folded();
    expect(found.all()).toEqual(all);
    expect(found.refused.map(({ offset }) => offset)).toEqual(refused);
  },
);

test('[D1] of a plain request no header is ever looked for outside its bytes', () => {
  class Unread extends ListCursor {
    override headersOf(): never {
      throw new Error('headers are read');
    }
  }
  const due = { name: 'flatline-due-at', value: bytes(String(T + 500)) };
  const delay = { name: 'flatline-delay-ms', value: bytes('500') };
  const others = ['flatline-schedule-id', 'trace'].map((name) => ({ name, value: bytes('x') }));
  const records = [[due], [delay], [due, ...others], [...others, delay]].map((headers, offset): TestRecord => ({
    offset,
    timestamp: T,
    key: `k${offset}`,
    value: 'v',
    headers,
  }));
  const { task } = new ScheduleLog();
  expect(task.step(new Unread(records, 2), 1e6, WALL).kind).toBe('exhausted');
  expect(task.counters).toMatchObject({ schedulesMade: 4, deadLetters: 0 });
});
