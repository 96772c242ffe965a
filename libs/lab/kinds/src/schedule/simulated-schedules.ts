// Worlds of schedules: reminders, recurrences that are published again and again, cancels, commands.
import type { Millis, Random } from '@flatline/base';
import type { LogRecord, ProducedRecord, Simulation } from '@flatline/cluster';
import type { PipelineKind } from '@flatline/kinds';
import { scheduleKind, type ScheduleRules } from '@flatline/kinds/schedule';
import { keyedRecord } from '@flatline/oracle';
import { CronCalendar } from '@flatline/system';
import { CheckCalendar } from '@flatline/kind-modules/calendar';
import { commonRules, type KindScenario } from '../worlds/common-rules.ts';
import { oneOf } from '../worlds/one-of.ts';
import { type Judged, type SimulatedKind, textIn, type Word } from '../worlds/simulated-kind.ts';
import { TARGET } from '../worlds/topics.ts';
import { whateverLived } from '../worlds/whatever-lived.ts';

type Asked = Readonly<Record<string, string | number>>;

const OWN = 'flatline-';
/** Recurrences end this long after the storm. */
const AFTER_STORM_MS = 8_000;
/** The users' calendar, and the checker's own: each caches its zones, for all processes of all worlds. */
const TZ_VERSION = process.versions['tz'] ?? 'unknown';
const CALENDAR = new CronCalendar(TZ_VERSION);
const FOLD_CALENDAR = new CheckCalendar(TZ_VERSION);
/** All that recur come often enough to be seen; the last two are dead letters. */
const EXPRESSIONS: readonly Asked[] = [
  { cron: '*/2 * * * * *' },
  { cron: '*/2 * 0-11,12-23 * * *', 'time-zone': 'Europe/Berlin' },
  { cron: '0-59/3 * * * JAN-DEC SUN-SAT', 'time-zone': 'America/Nuuk' },
  { cron: '1-59/2,0 * 0-22,23 */1 * *', 'time-zone': 'asia/kathmandu' },
  { cron: '*/3 * 0-22 * * *', 'time-zone': 'Europe/Berlin' },
  { cron: '15 30 2,23 * * *', 'time-zone': 'Europe/Berlin' },
  { cron: '0 0 31 2 *', 'time-zone': 'Europe/Berlin' },
  { cron: '* * * * *', 'time-zone': 'Europe/Atlantis' },
];
const utf8 = new TextEncoder();

export class SimulatedSchedules implements SimulatedKind {
  readonly actors = undefined;
  readonly atCalm = recordOf('', { command: 'RESUME' }, '');
  readonly judged: Judged;
  readonly #simulation: Simulation;
  readonly #rules: ScheduleRules;
  readonly #endAt: Millis;

  constructor(simulation: Simulation, rules: ScheduleRules, scenario: KindScenario) {
    this.#simulation = simulation;
    this.#rules = rules;
    this.#endAt = simulation.trueMs() + scenario.stormMs + AFTER_STORM_MS;
    const judged = { kind: 'schedule', ...rules, ...commonRules(scenario), calendar: FOLD_CALENDAR } as const;
    this.judged = {
      rules: judged,
      // Without `fetch`, which schedules refuse, no clock is overtaken: what `maxSchedulesPerKey` refuses is judged always.
      whateverLived: whateverLived(judged),
      targets: [{ topic: TARGET, rules: { ...judged, judgedTarget: TARGET } }],
      tellsRoom: false,
      input: (record) => keyedRecord(record),
    };
  }

  open(): PipelineKind {
    return scheduleKind({ rules: this.#rules, calendar: CALENDAR });
  }

  record(key: string, random: Random): ProducedRecord {
    const id: Asked = random.chance(0.5) ? { 'schedule-id': oneOf(random, ['a', 'b']) } : {};
    const draw = random.below(100);
    if (draw < 3) return recordOf(key, { ...id, command: 'CANCEL' }, null);
    if (draw < 10) return recordOf(key, id, null);
    if (draw < 25) return recordOf(key, { ...id, command: oneOf(random, ['PAUSE', 'RESUME', 'TRIGGER']) }, '');
    const jitter: Asked = random.chance(0.2) ? { 'jitter-ms': 1 + random.below(2_000) } : {};
    const target: Asked = random.chance(0.1) ? { target: oneOf(random, [TARGET, TARGET, 'nowhere']) } : {};
    const asked = { ...(draw < 65 ? this.#once(random) : this.#recurring(random)), ...jitter, ...target };
    return recordOf(key, { ...id, ...asked }, 'x'.repeat(random.below(40)), random.chance(0.2) ? 'trace' : undefined);
  }

  #once(random: Random): Asked {
    const late: Asked = random.chance(0.3) ? { 'expires-ms': random.below(1_500) } : {};
    if (random.chance(0.5)) return { 'delay-ms': random.below(8_000), ...late };
    const dueAt = this.#simulation.trueMs() - 2_000 + random.below(10_000);
    // Some producers mistake seconds for milliseconds.
    return { 'due-at': random.chance(0.05) ? Math.floor(dueAt / 1_000) : dueAt, ...late };
  }

  /** Draws from few: most that are published repeat an earlier one (D3). */
  #recurring(random: Random): Asked {
    const when: Asked = oneOf<Asked>(random, [
      { 'every-ms': 1_500 },
      { 'every-ms': 4_000 },
      oneOf(random, EXPRESSIONS),
    ]);
    const most: Asked = random.chance(0.3) ? { 'max-runs': 3 } : {};
    const start: Asked = random.chance(0.2)
      ? { 'start-at': this.#simulation.trueMs() - 5_000 + random.below(10_000) }
      : {};
    return { ...when, ...most, ...start, 'end-at': this.#endAt, ...(random.chance(0.1) && { upsert: 'reset' }) };
  }

  failsAt(): boolean {
    return false;
  }

  word(record: LogRecord): Word {
    const [receipt, dueAt, schedule = 'none'] = [
      headerIn(record, 'receipt'),
      headerIn(record, 'due-at'),
      headerIn(record, 'schedule'),
    ];
    if (receipt !== undefined) {
      const id = `${receipt} of ${schedule} for ${headerIn(record, 'answers') ?? `due at ${dueAt}`}`;
      return { id, what: receipt, at: 0, sums: undefined };
    }
    const missed = headerIn(record, 'missed') === undefined ? '' : '/missed';
    return {
      id: `run ${headerIn(record, 'run')} of ${schedule}`,
      what: `run${missed}`,
      at: Number(dueAt),
      sums: undefined,
    };
  }
}

function recordOf(key: string, asked: Asked, value: string | null, foreign?: string): ProducedRecord {
  const own = Object.entries(asked).map(([name, of]) => ({ name: OWN + name, value: utf8.encode(String(of)) }));
  return { key, value, headers: foreign === undefined ? own : [{ name: foreign, value: utf8.encode('t') }, ...own] };
}

function headerIn({ headers }: LogRecord, name: string): string | undefined {
  const found = headers.find((each) => each.name === OWN + name);
  return found && textIn(found.value);
}
