import type { Calendar } from '@flatline/base';
import { scheduleKind, type ScheduleRules } from '@flatline/kinds/schedule';
import { keyedRecord, outputRecord } from '@flatline/oracle';
import type { FoldCalendar } from '@flatline/oracle/schedule';
import type { SchedulePipelineRules } from '@flatline/oracle/anatomy';
import { type HistoryAct, headersOf, LONG_TEXT, type HistorySubject } from '../histories/subject.ts';

const OWN: ScheduleRules = {
  maxHorizonMs: 1e9,
  minEveryMs: 1,
  missed: 'all',
  maxCatchUp: 3,
  catchUpWindowMs: 1e9,
  receipts: 'all',
  maxMessageBytes: 500,
  maxSchedulesPerKey: 3,
  targets: [],
  outputTopic: 'runs',
};

/** `each 3`: at multiples of that many seconds. */
const EACH = /^each (\d+)$/;
const next = (cron: string, _zone: string, after: number): number | undefined => {
  const ms = Number(EACH.exec(cron)?.[1] ?? 0) * 1_000;
  return ms === 0 ? undefined : (Math.floor(after / ms) + 1) * ms;
};
const calendar: Calendar = {
  version: '2026z',
  next,
  fault: (cron) => (EACH.test(cron) ? undefined : { about: 'cron', detail: cron }),
};
const naive: FoldCalendar = {
  version: '2026z',
  next,
  isSound: (cron) => EACH.test(cron),
  instant: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
};

const COMMANDS = ['PAUSE', 'RESUME', 'TRIGGER'] as const;

export function schedules(changes: Partial<ScheduleRules> = {}): HistorySubject<'schedule'> {
  const own = { ...OWN, ...changes };
  const rules: SchedulePipelineRules = {
    kind: 'schedule',
    timestampType: 'LogAppendTime',
    maxKeyBytes: 32,
    unheardMs: 0,
    maxHoldMs: 0,
    ...own,
    calendar: naive,
  };
  return {
    rules,
    open: () => Promise.resolve(scheduleKind({ rules: own, calendar })),
    producers: {
      act: (_key, random, round): HistoryAct => {
        const kind = random.below(100);
        const id = kind % 2 === 0 ? {} : { 'schedule-id': `id-${kind % 3}` };
        const value = `message ${round}`;
        const said = { ':trace': String(kind), ...id };
        if (kind < 4) return { value: null, headers: headersOf(id) };
        if (kind < 10) return { value: '', headers: headersOf({ ...id, command: COMMANDS[kind % 3]! }) };
        if (kind < 12) return { value };
        if (kind < 25)
          return {
            value,
            headers: headersOf({
              ...said,
              'every-ms': 2_500,
              'max-runs': 4,
              ...(kind % 3 === 0 && { 'jitter-ms': 900 }),
            }),
          };
        if (kind < 35) return { value, headers: headersOf({ ...said, cron: `each ${2 + (kind % 3)}`, 'max-runs': 3 }) };
        if (kind < 45)
          return { value, headers: headersOf({ ...said, 'delay-ms': 100 * kind, 'expires-ms': 40 * (kind % 5) }) };
        if (kind < 60) return { value, headers: headersOf({ ...said, 'delay-ms': 90 * kind, 'jitter-ms': 700 }) };
        return { value, headers: headersOf({ ...said, 'delay-ms': 90 * kind }) };
      },
    },
    lasting: { value: 'last', headers: headersOf({ 'delay-ms': 30_000 }) },
    tooLong: { value: LONG_TEXT },
    input: (record) => keyedRecord(record),
    output: (record) => outputRecord(record, () => undefined),
  };
}
