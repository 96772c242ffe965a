// The product's calendar against the checker's: two readings of an expression around changes of daylight saving time (D3, V).
// Each failing line names the seed; `SEED=<seed> SEEDS=1 npm test -- worlds` runs it alone.
import { describe, expect, test } from '@jest/globals';
import { type Millis, type Random, seededRandom } from '@flatline/base';
import { CronCalendar } from '@flatline/system';
import { CheckCalendar } from '@flatline/kind-modules/calendar';
import { Cron } from 'croner';
import { drawnCron } from './drawn-expressions.fixture.ts';
import { oneOf } from '@flatline/lab-kinds';

const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const SEEDS = Number(process.env['SEEDS'] ?? 80);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONES = Intl.supportedValuesOf('timeZone');
/** Half of them: cases that other calendars got wrong. */
const HARD = [
  ['America/Nuuk', '2027-03-28T01:00:00Z'],
  ['America/Scoresbysund', '2027-03-28T01:00:00Z'],
  ['Asia/Pyongyang', '2018-05-04T15:00:00Z'],
  ['Asia/Pyongyang', '2015-08-14T15:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['Pacific/Kwajalein', '1993-08-21T12:00:00Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:00:00Z'],
  ['Australia/Lord_Howe', '2027-10-02T15:30:00Z'],
  ['Europe/Berlin', '2027-03-28T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['America/Havana', '2027-11-07T05:00:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00:00Z'],
  ['Africa/Cairo', '2010-08-10T21:00:00Z'],
  ['Africa/Casablanca', '2027-02-07T02:00:00Z'],
  ['Antarctica/Troll', '2027-03-28T01:00:00Z'],
  ['Africa/Monrovia', '1972-01-07T00:44:30Z'],
] as const;

const product = new CronCalendar('2026z');
const checker = new CheckCalendar('2026z');

/** A change of daylight saving time of a zone in a random year, or else some instant of it. */
function drawnTurn(random: Random): readonly [zone: string, turnedAt: Millis] {
  if (random.chance(0.5)) {
    const [zone, at] = oneOf<readonly [string, string]>(random, HARD);
    return [zone, Date.parse(at)];
  }
  const zone = oneOf(random, ZONES);
  const shown = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset', year: 'numeric' });
  const offsetAt = (instant: Millis): string => shown.format(instant).split('GMT')[1]!;
  const begin = Date.UTC(1970 + random.below(90), random.below(12));
  for (let at = begin; at < begin + 366 * DAY; at += DAY) if (offsetAt(at) !== offsetAt(at + DAY)) return [zone, at];
  return [zone, begin];
}

function hourIn(timeZone: string, instant: Millis): number {
  return Number(new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(instant));
}

test('[D3] the checker reckons as the product does, in zones and years that are drawn, where clocks are turned', () => {
  const different: string[] = [];
  let asked = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
    const random = seededRandom(seed);
    const [zone, turnedAt] = drawnTurn(random);
    const hour = hourIn(zone, turnedAt - 1 - random.below(3) * HOUR);
    for (let i = 0; i < 12; i += 1) {
      const cron = drawnCron(random, hour);
      let after = turnedAt - random.below(2 * DAY);
      for (let runs = 0; runs < 12; runs += 1, asked += 1) {
        const next = product.next(cron, zone, after);
        const expected = checker.next(cron, zone, after);
        if (next !== expected)
          different.push(`seed ${seed}: ${cron}, ${zone}, after ${after}: ${next}, not ${expected}`);
        if (expected === undefined || expected > turnedAt + 400 * DAY) break;
        after = random.chance(0.8) ? expected : expected + random.below(3 * HOUR);
      }
    }
  }
  expect(different).toEqual([]);
  expect(asked).toBeGreaterThan(SEEDS * 50);
});

describe('the examples that checkers called wrong', () => {
  test.each([
    ['30 2,14 * * *', 'Europe/Berlin', '2027-03-27T22:00:00Z', ['2027-03-28T01:00:00Z', '2027-03-28T12:30:00Z']],
    ['0 1-3 * * *', 'America/New_York', '2026-11-01T04:30:00Z', ['2026-11-01T05:00:00Z', '2026-11-01T07:00:00Z']],
  ])('[D3] %s in %s', (cron, zone, from, at) => {
    for (const calendar of [product, checker]) {
      let after = Date.parse(from);
      const runs = at.map(() => (after = calendar.next(cron, zone, after)!));
      expect(runs).toEqual(at.map((text) => Date.parse(text)));
    }
  });
});

test('[D3] where no clocks are turned, a library that many use says the same of all that the three read alike', () => {
  const random = seededRandom(FIRST_SEED);
  for (let i = 0; i < 40 * Math.min(SEEDS, 50); i += 1) {
    const cron = drawnCron(random, random.below(24));
    // It mistakes stars with steps for named days, and reads a day of the week that ends a range wrongly.
    if (/\*\/\d+|\?/.test(cron)) continue;
    const library = new Cron(cron, { utcOffset: 0, mode: '5-or-6-parts', paused: true });
    const after = Date.UTC(2020 + random.below(30), random.below(12), random.below(28), random.below(24));
    const expected = library.nextRun(new Date(after))?.getTime();
    for (const calendar of [product, checker])
      expect([cron, after, calendar.next(cron, 'UTC', after)]).toEqual([cron, after, expected]);
  }
});

test('[D3][I1] both take the same expressions and zones, whatever is in them', () => {
  const random = seededRandom(FIRST_SEED);
  const characters = Array.from('0123456789*/-,#L? \tMONsunJAN:W+@');
  let sound = 0;
  for (let i = 0; i < 100 * SEEDS; i += 1) {
    const letters = Array.from(drawnCron(random, random.below(24)));
    for (let edits = random.below(3); edits > 0; edits -= 1)
      letters.splice(random.below(letters.length), random.below(2), oneOf(random, characters));
    const cron = letters.join('');
    const isSound = checker.isSound(cron, 'UTC');
    if (isSound) sound += 1;
    expect([cron, product.fault(cron, 'UTC') === undefined]).toEqual([cron, isSound]);
  }
  expect(sound).toBeGreaterThan(20 * SEEDS);
  for (const zone of ['UTC', 'utc', 'Europe/Berlin', 'EUROPE/berlin', '+05:30', 'UTC 0', 'Europe/Atlantis', '', ' UTC'])
    expect([zone, product.fault('* * * * *', zone) === undefined]).toEqual([zone, checker.isSound('* * * * *', zone)]);
});
