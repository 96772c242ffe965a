// All that the shell knows of schedules.
import type { PipelineKind, ShownEntry } from '@flatline/kinds';
import { scheduleKind, scheduleSaid, scheduleView } from '@flatline/kinds/schedule';
import type { EntryColumn, KindModule, Show } from '../kind-module.ts';
import { AROUND_BYTES } from '../largest.ts';
import { scheduleIntake } from './intake.ts';
import { scheduleMetrics } from './metrics.ts';
import { runAsJson } from './run-as-json.ts';
import { schedulePart, type SchedulePipeline, scheduleProblems, scheduleSection } from './settings.ts';
import { systemCalendar } from './system-calendar.ts';

/** Bytes of the headers that name a run, with an id of 256 characters and a version of the time-zone database. */
const HEADERS_BYTES = 1_536;

const COLUMNS: readonly EntryColumn[] = [
  { name: 'due (UTC)', width: 19, text: due },
  { name: 'id', width: 16, least: 8, text: ({ scheduleId }) => scheduleId as string | undefined },
  { name: 'runs', width: 6, text: ({ runs }) => runs as number },
  { name: 'recurs', width: 28, least: 12, text: recurrence },
  { name: 'target', width: 12, spare: 1, text: ({ target }) => target as string | undefined },
  { name: 'value', width: 60, least: 12, text: ({ value }) => value as Uint8Array },
];

export const schedule: KindModule<SchedulePipeline, typeof scheduleSection, { readonly kind: 'run' }> = {
  form: scheduleSection,
  fill: () => undefined,
  problems: scheduleProblems,
  resolve: schedulePart,
  inputUse: 'scheduled',
  targetUse: 'outputs',
  obeys: { severalInputs: false, attributes: false, attributePlaces: false },
  decisiveFormats: () => ({}),
  silence: () => undefined,
  outage: () => ({
    doesHarm: false,
    text: 'runs due meanwhile come behind it, as "missed" and catchUpWindowMs say',
  }),
  largest: ({ rules: { maxMessageBytes }, input: { maxKeyBytes } }) => ({
    outputBytes: AROUND_BYTES + HEADERS_BYTES + maxKeyBytes + maxMessageBytes,
    settings: { maxKeyBytes, maxMessageBytes },
    outputs: 'a message',
  }),
  taskSettings: ({ maxDuePerSecond }) => ({ maxDuePerSecond }),
  open: ({ pipeline }) => Promise.resolve(schedulesOf(pipeline)),
  // A run's fields are in its headers.
  atHand: (pipeline) => ({ kind: schedulesOf(pipeline), read: () => ({ kind: 'run' }) }),
  intake: scheduleIntake,
  emits: undefined,
  view: () => scheduleView,
  said: scheduleSaid,
  asJson: runAsJson,
  columns: COLUMNS,
  metrics: scheduleMetrics,
  judging: async () => (await import('./judging.ts')).scheduleJudging,
};

function schedulesOf({ rules }: SchedulePipeline): PipelineKind {
  return scheduleKind({ rules, calendar: systemCalendar() });
}

function due({ paused, parked, dueAt }: ShownEntry, { time }: Show): string {
  if (parked === true) return 'parked';
  return paused === true ? 'paused' : time(dueAt);
}

function recurrence({ everyMs, cron, timeZone }: ShownEntry, { duration }: Show): string {
  if (typeof everyMs === 'number') return `every ${duration(everyMs)}`;
  return typeof cron === 'string' ? `${cron} ${timeZone as string}` : '';
}
