// Prometheus metrics out of task statuses, at the moment they are asked for.
//
// Owns: one registry per processor.      Does not own: any count; those are the tasks', read when scraped.
//
// Labels are pipeline and partition and what is closed, all of bounded number: no key of a session is ever a label (I3).
import type { TaskCounters } from '@flatline/partition';
import { type StandbyState, type StandbyStatus, type TaskStatus, SHOWN_STATES } from '@flatline/runtime';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Observed } from './observed.ts';
import { DAMAGED_STORES_MAX, recentDamage } from './store-damage.ts';

const LABELS = ['pipeline', 'partition'] as const;
type Label = (typeof LABELS)[number];

/** Counters by metric name; a sum of several is one metric with a label of its own in `CLOSED`. */
const COUNTED: Readonly<Record<string, readonly [keyof TaskCounters, string]>> = {
  flatline_records_read_total: ['recordsRead', 'Input records applied'],
  flatline_heartbeats_total: ['heartbeats', 'Bare heartbeats applied'],
  flatline_events_total: ['events', 'Events with a payload, and explicit ends, applied'],
  flatline_clock_records_total: ['clockRecords', 'Clock records read (C2)'],
  flatline_sessions_opened_total: ['sessionsOpened', 'Incarnations opened'],
  flatline_unmatched_ends_total: ['unmatchedEnds', 'Explicit ends for no live session'],
  flatline_duplicates_total: ['duplicates', 'Events counted as duplicates (S5)'],
  flatline_clamped_timeouts_total: ['clampedTimeouts', 'Timeouts of events that were clamped (S7)'],
  flatline_clock_overtaken_total: ['clockOvertaken', 'Records stamped below evidence already used (C3)'],
  flatline_former_type_records_total: [
    'formerTypeRecords',
    'Records from before the input had its timestamp type, read over (C6)',
  ],
  flatline_state_full_total: ['stateFull', 'Records refused for want of room for one session more (I7)'],
  flatline_dead_letters_total: ['deadLetters', 'Records sent to the dead-letter topic (I1)'],
  flatline_failed_records_total: [
    'failedRecords',
    'Of these, records at which the processor failed: a defect of it (I6)',
  ],
};

const CLOSED: Readonly<Record<string, keyof TaskCounters>> = {
  TIMEOUT: 'closedByTimeout',
  ENDED: 'closedByEnd',
  MAX_DURATION: 'closedByMaxDuration',
};

const GAUGED: Readonly<Record<string, readonly [(task: TaskStatus) => number | undefined, string]>> = {
  flatline_live_entries: [(task) => task.liveEntries, 'Live sessions'],
  flatline_state_fill_ratio: [(task) => task.stateFill, 'Share of what may live in a partition that does (I7)'],
  flatline_lag_records: [(task) => task.lag, 'Input records between the position and the end'],
  flatline_expiry_lag_milliseconds: [
    (task) => task.expiryLagMs,
    'How far the clock is ahead of the earliest close due',
  ],
  flatline_partition_clock_milliseconds: [(task) => task.clock, 'Partition clock, milliseconds since the epoch (C1)'],
  flatline_held_milliseconds: [
    (task) => task.heldMs,
    'Time that no deadline counted, since the beginning of the log (C8)',
  ],
  flatline_changelog_bytes: [(task) => task.changelogBytes, 'Changelog bytes from the floor to the end (K8)'],
  flatline_live_bytes: [(task) => task.liveBytes, 'Bytes of live images in the changelog'],
  flatline_stores_dropped: [(task) => task.storesDropped, 'Local stores dropped and rebuilt by this task (R2)'],
  flatline_restore_milliseconds: [(task) => task.restoreMs, 'From the assignment to running'],
  flatline_takeover_milliseconds: [
    (task) => task.takeoverMs,
    'From fencing the former owner to running: the pause of a hand-over',
  ],
  flatline_commits_total: [(task) => task.commits?.count, 'Transactions committed'],
  flatline_commit_p50_milliseconds: [(task) => task.commits?.p50Ms, 'Median duration of the last commits'],
  flatline_commit_p99_milliseconds: [(task) => task.commits?.p99Ms, '99th percentile of the last commits'],
  flatline_waiting: [
    (task) => (task.detail === undefined ? 0 : 1),
    '1 while the task waits for something or has stopped (X5)',
  ],
};

const STANDBY_GAUGED: Readonly<Record<string, readonly [(standby: StandbyStatus) => number | undefined, string]>> = {
  flatline_standby_lag_records: [(standby) => standby.lag, 'Changelog offsets that the standby is behind'],
  flatline_standby_live_entries: [(standby) => standby.liveEntries, 'Live sessions in the standby'],
  flatline_standby_clock_milliseconds: [
    (standby) => standby.clock,
    'Partition clock of the newest commit that the standby has read, milliseconds since the epoch',
  ],
  flatline_standby_stores_dropped: [
    (standby) => standby.storesDropped,
    'How often the standby dropped its state and read it anew (R2, K5)',
  ],
  flatline_standby_waiting: [
    (standby) => (standby.detail === undefined ? 0 : 1),
    '1 while the standby waits for something or has stopped (X5)',
  ],
};
const STANDBY_STATES: readonly StandbyState[] = ['restoring', 'following', 'stopped'];

export function metricsOf(observed: Observed): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const tasks = (): TaskStatus[] => observed.pipelines().flatMap((pipeline) => pipeline.tasks);
  for (const [name, [read, help]] of Object.entries(GAUGED)) addGauge(registry, { name, help }, tasks, read);
  for (const [name, [counter, help]] of Object.entries(COUNTED)) addCounter(registry, { name, help }, tasks, counter);
  addDamage(registry, observed);
  addStoreErrors(registry, observed);
  addClosed(registry, tasks);
  const taskStates = { name: 'flatline_task_state', help: '1 for the state a task is in, 0 for the others' };
  addStates(registry, taskStates, tasks, SHOWN_STATES);
  const standbys = (): StandbyStatus[] => observed.pipelines().flatMap((pipeline) => pipeline.standbys);
  for (const [name, [read, help]] of Object.entries(STANDBY_GAUGED)) addGauge(registry, { name, help }, standbys, read);
  const standbyStates = { name: 'flatline_standby_state', help: '1 for the state a standby is in, 0 for the others' };
  addStates(registry, standbyStates, standbys, STANDBY_STATES);
  return registry;
}

type Tasks = () => readonly TaskStatus[];
type Located = Pick<TaskStatus, 'pipeline' | 'partition'>;
interface Described {
  readonly name: string;
  readonly help: string;
}

function labelsOf({ pipeline, partition }: Located): Record<Label, string> {
  return { pipeline, partition: String(partition) };
}

function addGauge<T extends Located>(
  registry: Registry,
  { name, help }: Described,
  tasks: () => readonly T[],
  read: (task: T) => number | undefined,
): void {
  registry.registerMetric(
    new Gauge({
      ...{ name, help, labelNames: LABELS, registers: [] },
      collect() {
        this.reset();
        for (const task of tasks()) {
          const value = read(task);
          if (value !== undefined) this.set(labelsOf(task), value);
        }
      },
    }),
  );
}

/** A task that moves away takes its counts along; Prometheus takes that for a reset, which it is. */
function addCounter(registry: Registry, { name, help }: Described, tasks: Tasks, counter: keyof TaskCounters): void {
  registry.registerMetric(
    new Counter({
      ...{ name, help, labelNames: LABELS, registers: [] },
      collect() {
        this.reset();
        for (const task of tasks()) this.inc(labelsOf(task), task.counters?.[counter] ?? 0);
      },
    }),
  );
}

function addDamage(registry: Registry, observed: Observed): void {
  registry.registerMetric(
    new Gauge({
      name: 'flatline_damaged_stores',
      help: `Local stores dropped as damaged within the hour (R2); above ${DAMAGED_STORES_MAX} the instance is unready`,
      labelNames: ['pipeline'],
      registers: [],
      collect() {
        this.reset();
        for (const { name, storeDrops } of observed.pipelines())
          this.set({ pipeline: name }, recentDamage(storeDrops, observed.wallNow).length);
      },
    }),
  );
}

function addStoreErrors(registry: Registry, observed: Observed): void {
  registry.registerMetric(
    new Counter({
      name: 'flatline_store_errors_total',
      help: 'Errors at opening, writing, wiping and closing local stores; the changelog has everything',
      labelNames: ['pipeline'],
      registers: [],
      collect() {
        this.reset();
        for (const { name, storeErrors } of observed.pipelines()) this.inc({ pipeline: name }, storeErrors);
      },
    }),
  );
}

function addClosed(registry: Registry, tasks: Tasks): void {
  registry.registerMetric(
    new Counter({
      name: 'flatline_sessions_closed_total',
      help: 'Sessions closed, by reason (S2)',
      labelNames: [...LABELS, 'reason'],
      registers: [],
      collect() {
        this.reset();
        for (const task of tasks())
          for (const [reason, counter] of Object.entries(CLOSED))
            this.inc({ ...labelsOf(task), reason }, task.counters?.[counter] ?? 0);
      },
    }),
  );
}

function addStates(
  registry: Registry,
  { name, help }: Described,
  tasks: () => readonly (Located & { readonly state: string })[],
  states: readonly string[],
): void {
  registry.registerMetric(
    new Gauge({
      ...{ name, help, labelNames: [...LABELS, 'state'], registers: [] },
      collect() {
        this.reset();
        for (const task of tasks())
          for (const state of states) this.set({ ...labelsOf(task), state }, task.state === state ? 1 : 0);
      },
    }),
  );
}
