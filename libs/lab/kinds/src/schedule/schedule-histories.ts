// Recorded histories of schedules.
import { touchedSchedules } from '@flatline/oracle/anatomy';
import { type KindHistories } from '../histories/kind-histories.ts';
import { RUNS } from './history-mutants/runs.ts';
import { SCHEDULES } from './history-mutants/schedules.ts';
import { schedules } from './schedule-subjects.ts';

const LATER = { 'flatline-delay-ms': '90000' };

export const scheduleHistories: KindHistories<'schedule'> = {
  subjects: [
    { name: 'schedules, all runs made up for', subject: schedules() },
    { name: 'schedules, the latest run made up for', subject: schedules({ missed: 'once', receipts: 'errors' }) },
    { name: 'schedules, no run made up for', subject: schedules({ missed: 'skip', receipts: 'none' }) },
  ],
  changes: [
    {
      what: 'runs that are not made up for',
      subject: schedules(),
      changed: schedules({ missed: 'skip', receipts: 'none' }),
    },
    {
      what: 'fewer schedules of a key',
      subject: schedules(),
      changed: schedules({ maxSchedulesPerKey: 1, maxMessageBytes: 9 }),
    },
  ],
  room: {
    rules: {},
    first: { value: 'due', headers: LATER },
    growing: [
      { value: 'replaces it', headers: LATER },
      { value: 'other', headers: { ...LATER, 'flatline-schedule-id': 'b' } },
    ],
    others: [
      ...['PAUSE', 'RESUME', 'TRIGGER'].map((command) => ({ value: '', headers: { 'flatline-command': command } })),
      { value: null },
    ],
  },
  mutants: [...RUNS, ...SCHEDULES],
  hasPages: true,
  touched: touchedSchedules,
};
