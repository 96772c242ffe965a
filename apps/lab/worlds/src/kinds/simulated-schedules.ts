// Worlds of schedules: reminders, recurrences that are published again and again, cancels, commands.
import type { Millis, Random } from '@flatline/base';
import type { LogRecord, ProducedRecord, Simulation } from '@flatline/cluster';
import { type PipelineKind, scheduleKind, type ScheduleRules } from '@flatline/kinds';
import { foldSchedules, type RawRecord } from '@flatline/oracle';
import { oneOf } from '../one-of.ts';
import { EACH_CALENDAR, EACH_FOLD_CALENDAR } from './each-calendar.ts';
import { canonical, type ExpectedWords, type SimulatedKind, textIn, type Word } from './simulated-kind.ts';

type Asked = Readonly<Record<string, string | number>>;

const OWN = 'flatline-';
const HOUR_MS = 3_600_000;
/** Recurrences end so long after the storm. */
const AFTER_STORM_MS = 8_000;
const utf8 = new TextEncoder();

export function drawScheduleRules(random: Random): ScheduleRules {
  return {
    maxHorizonMs: oneOf(random, [6_000, HOUR_MS]),
    minEveryMs: 1_500,
    missed: oneOf(random, ['once', 'all', 'skip'] as const),
    maxCatchUp: 1 + random.below(5),
    catchUpWindowMs: oneOf(random, [3_000, HOUR_MS]),
    receipts: oneOf(random, ['none', 'errors', 'all'] as const),
    maxMessageBytes: 100_000,
    maxSchedulesPerKey: 1 + random.below(3),
    targets: [],
    outputTopic: 'runs',
  };
}

export class SimulatedSchedules implements SimulatedKind {
  readonly atCalm = recordOf('', { command: 'RESUME' }, '');
  readonly #simulation: Simulation;
  readonly #rules: ScheduleRules;
  readonly #endAt: Millis;

  constructor(simulation: Simulation, rules: ScheduleRules, stormMs: number) {
    this.#simulation = simulation;
    this.#rules = rules;
    this.#endAt = simulation.trueMs() + stormMs + AFTER_STORM_MS;
  }

  open(): PipelineKind {
    return scheduleKind({ rules: this.#rules, calendar: EACH_CALENDAR });
  }

  record(key: string, random: Random): ProducedRecord {
    const id: Asked = random.chance(0.5) ? { 'schedule-id': oneOf(random, ['a', 'b']) } : {};
    const draw = random.below(100);
    if (draw < 10) return recordOf(key, id, null);
    if (draw < 25) return recordOf(key, { ...id, command: oneOf(random, ['PAUSE', 'RESUME', 'TRIGGER']) }, '');
    const asked = draw < 65 ? this.#once(random) : this.#recurring(random);
    return recordOf(key, { ...id, ...asked }, 'x'.repeat(random.below(40)), random.chance(0.2) ? 'trace' : undefined);
  }

  #once(random: Random): Asked {
    const late: Asked = random.chance(0.3) ? { 'expires-ms': random.below(1_500) } : {};
    if (random.chance(0.5)) return { 'delay-ms': random.below(8_000), ...late };
    return { 'due-at': this.#simulation.trueMs() - 2_000 + random.below(10_000), ...late };
  }

  /** Few of them: most that are published say what was said before (D3). */
  #recurring(random: Random): Asked {
    const when: Asked = oneOf<Asked>(random, [{ 'every-ms': 1_500 }, { 'every-ms': 4_000 }, { cron: 'each 2' }]);
    const most: Asked = random.chance(0.3) ? { 'max-runs': 3 } : {};
    return { ...when, ...most, 'end-at': this.#endAt, ...(random.chance(0.1) && { upsert: 'reset' }) };
  }

  expect(records: readonly RawRecord[], partition: number): ExpectedWords {
    const { said, refused } = foldSchedules(records, { partition, rules: this.#rules, calendar: EACH_FOLD_CALENDAR });
    const texts = [...said].map(([key, words]): [string, string[]] => [
      key,
      words.map(({ value, headers }) => canonical([value, ...headers])),
    ]);
    return { said: new Map(texts), refused };
  }

  word(record: LogRecord): Word {
    const { headers, value } = record;
    const text = canonical([textIn(value), ...headers.map((each) => `${each.name}=${textIn(each.value)}`)]);
    const receipt = headerIn(record, 'receipt');
    if (receipt !== undefined) return { text, what: receipt, at: 0 };
    const missed = headerIn(record, 'missed') === undefined ? '' : '/missed';
    return { text, what: `run${missed}`, at: Number(headerIn(record, 'due-at')) };
  }

  /** D2: each run once; D3: runs count up, and are due one after another. */
  faultsAmong(records: readonly LogRecord[]): readonly string[] {
    const faults: string[] = [];
    const last = new Map<string, { readonly run: number; readonly dueAt: Millis }>();
    for (const record of records) {
      if (headerIn(record, 'receipt') !== undefined) continue;
      const name = headerIn(record, 'schedule') ?? '';
      const { run: before, dueAt: dueBefore } = last.get(name) ?? { run: 0, dueAt: 0 };
      const [run, dueAt] = [Number(headerIn(record, 'run')), Number(headerIn(record, 'due-at'))];
      if (run <= before) faults.push(`[D2] run ${run} of ${name} comes after run ${before}`);
      else if (run > before + 1) faults.push(`[D3] run ${run} of ${name} comes after run ${before}`);
      if (dueAt < dueBefore) faults.push(`[D3] ${name} runs as of ${dueAt} after ${dueBefore}`);
      last.set(name, { run, dueAt });
    }
    return faults;
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
