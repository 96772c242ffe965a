// Prometheus metrics out of task statuses, at the moment they are asked for.
//
// Owns: one registry per processor.
// Does not own: any count; those are the tasks', read when scraped.
//
// Names and units are Prometheus' conventions: seconds, bytes, `_total` for what only grows.
// Labels are the pipeline; of what is now its partition, too; the topic of one of several inputs, and what is closed: all of bounded
// number, and no key of a session is ever one (I3). Counts are summed up by pipeline, since dozens of them for each partition are
// thousands of series that a query sums up all the same; the API tells each partition's.
import { KIND_NAMES } from '@flatline/base';
import { type Counted, type Ended, kindOf } from '@flatline/kind-modules';
import {
  type InputStatus,
  type StandbyState,
  type StandbyStatus,
  type TaskStatus,
  SHOWN_STATES,
} from '@flatline/runtime';
import { Gauge, Registry } from '@prometheus-io/client';
import {
  addCounter,
  addGauge,
  addHistogram,
  addOfPipelines,
  addStates,
  addSummed,
  type Described,
  labelsOf,
  type Summands,
} from './metric-views.ts';
import { describedIn, type DescribedMetric } from './described-metric.ts';
import { exposition } from './exposition.ts';
import { addDeliveries } from './delivery-metrics.ts';
import type { MetricSamples } from '../otlp/otlp-metrics.ts';
import type { Observed, PipelineStatus } from './observed.ts';
import { viewOf } from './one-process.ts';
import { addProbes, addSilentOwners } from './probe-metrics.ts';
import { addProcess } from './process-metrics.ts';
import { unreadyReasons } from './readiness.ts';
import { type ShownWindow, windowsOf } from './stats-windows.ts';
import { DAMAGED_STORES_MAX, recentDamage } from './store-damage.ts';

/** Counters by metric name, and what they count, of whatever kind. */
const COUNTED: Counted = {
  flatline_clock_records_total: ['clockRecords', 'Clock records read (C2)'],
  flatline_clamped_timeouts_total: ['clampedTimeouts', 'Timeouts asked for that were clamped (S7, L1)'],
  flatline_clock_overtaken_total: ['clockOvertaken', 'Records stamped below evidence already used (C3)'],
  flatline_former_type_records_total: [
    'formerTypeRecords',
    'Records from before the input had its timestamp type, read over (C6)',
  ],
  flatline_misplaced_keys_total: [
    'misplacedKeys',
    'Entries opened by a key that murmur2 gives to another partition (I9)',
  ],
  flatline_state_full_total: ['stateFull', 'Records refused for want of room (I7)'],
  flatline_dead_letters_total: ['deadLetters', 'Records sent to the dead-letter topic (I1)'],
  flatline_routed_total: ['routed', 'Records of other topics that outputs have brought about (P3)'],
  flatline_unroutable_total: ['unroutable', 'Dead letters of outputs of which a route made no record (P3)'],
  flatline_failed_records_total: [
    'failedRecords',
    'Records at which the processor failed, a defect of it; they are dead letters (I6)',
  ],
};

type Read<T> = readonly [(one: T) => number | undefined, string];

/** By partition: whose input is the busiest. */
const RECORDS_READ = { name: 'flatline_records_read_total', help: 'Input records applied' };

const GROWING: Readonly<Record<string, Read<TaskStatus>>> = {
  flatline_stores_dropped_total: [(task) => task.storesDropped, 'Local stores dropped and rebuilt by this task (R2)'],
  flatline_commits_total: [(task) => task.commits?.count, 'Transactions committed'],
};

const GAUGED: Readonly<Record<string, Read<TaskStatus>>> = {
  flatline_live_entries: [(task) => task.liveEntries, 'Live sessions'],
  flatline_state_fill_ratio: [(task) => task.stateFill, 'Share of what may live in a partition that does (I7)'],
  flatline_commit_fill_ratio: [
    (task) => task.commitFill,
    'Share of what may wait for a commit that does; from 1 on reading pauses',
  ],
  flatline_state_bytes: [(task) => task.stateBytes, 'What entries, keys and states count towards maxStateBytes (I7)'],
  flatline_lag_records: [(task) => task.lag, 'Input records between the position and the end'],
  flatline_expiry_lag_seconds: [
    (task) => inSeconds(task.expiryLagMs),
    'How far the clock is ahead of the earliest close due',
  ],
  flatline_partition_clock_timestamp_seconds: [
    (task) => inSeconds(task.clock),
    'Partition clock, seconds since the epoch (C1)',
  ],
  flatline_held_seconds: [
    (task) => inSeconds(task.heldMs),
    'Time that no deadline counted, since the beginning of the log (C8)',
  ],
  flatline_changelog_bytes: [(task) => task.changelogBytes, 'Changelog bytes from the floor to the end (K8)'],
  flatline_live_bytes: [(task) => task.liveBytes, 'Bytes of live images in the changelog'],
  flatline_restore_duration_seconds: [(task) => inSeconds(task.restoreMs), 'From the assignment to running'],
  flatline_takeover_duration_seconds: [
    (task) => inSeconds(task.takeoverMs),
    'From fencing the former owner to running: the pause of a hand-over',
  ],
  flatline_waiting: [
    (task) => (task.detail === undefined ? 0 : 1),
    '1 while the task waits for something or has stopped (X5)',
  ],
};

/** Metrics of each input where a pipeline has several, by its topic (S8). */
const INPUT_GAUGED: Readonly<Record<string, Read<InputStatus>>> = {
  flatline_input_lag_records: [
    ({ lag }) => lag,
    'Records of one of several inputs between its position and its end (S8)',
  ],
  flatline_input_clock_timestamp_seconds: [
    ({ clock }) => inSeconds(clock),
    'Clock of one of several inputs, seconds since the epoch: the one behind holds up the others (S8)',
  ],
};

const STANDBY_GROWING: Readonly<Record<string, Read<StandbyStatus>>> = {
  flatline_standby_stores_dropped_total: [
    (standby) => standby.storesDropped,
    'How often the standby dropped its state and read it again (R2, K5)',
  ],
};

const STANDBY_GAUGED: Readonly<Record<string, Read<StandbyStatus>>> = {
  flatline_standby_lag_records: [(standby) => standby.lag, 'Changelog offsets that the standby is behind'],
  flatline_standby_live_entries: [(standby) => standby.liveEntries, 'Live sessions in the standby'],
  flatline_standby_clock_timestamp_seconds: [
    (standby) => inSeconds(standby.clock),
    'Partition clock of the newest commit that the standby has read, seconds since the epoch',
  ],
  flatline_standby_waiting: [
    (standby) => (standby.detail === undefined ? 0 : 1),
    '1 while the standby waits for something or has stopped (X5)',
  ],
};
const STANDBY_STATES: readonly StandbyState[] = ['restoring', 'following', 'stopped'];

export interface Metrics {
  /** In Prometheus' text format. */
  metrics(): Promise<string>;
  /** The same as numbers. */
  samples(): Promise<readonly MetricSamples[]>;
  /** Name, help, type and labels of all of them, in their order. */
  described(): readonly DescribedMetric[];
}

/** `turn` lets the loop do what else there is. */
export function metricsOf(observed: Observed, turn: () => Promise<void> = () => new Promise(setImmediate)): Metrics {
  const registry = new Registry();
  addProcess(registry);
  addBuild(registry, observed);
  // Looked at once a scrape, not by each metric: a task's status sorts the durations of a thousand commits.
  let pipelines: readonly PipelineStatus[] = [];
  const tasks = (): TaskStatus[] => pipelines.flatMap((pipeline) => pipeline.tasks);
  for (const [name, [read, help]] of Object.entries(GAUGED)) addGauge(registry, { name, help, of: tasks, read });
  addCounter(registry, { ...RECORDS_READ, of: tasks, read: ({ counters }) => counters?.recordsRead });
  const all = (): Summands<TaskStatus>[] => summandsOf(pipelines);
  for (const [name, [read, help]] of Object.entries(GROWING)) addSummed(registry, { name, help, of: all, read });
  addCounted(registry, all, COUNTED);
  for (const kind of KIND_NAMES) {
    const { counted, gauged = {}, endings, ended } = kindOf({ kind }).metrics;
    const own = (): Summands<TaskStatus>[] => summandsOf(pipelines.filter((each) => each.kind === kind));
    addCounted(registry, own, counted);
    for (const [name, [counter, help]] of Object.entries(gauged)) {
      const parts = (): TaskStatus[] => own().flatMap((each) => each.parts);
      addGauge(registry, { name, help, of: parts, read: ({ counters }) => counters?.[counter] });
    }
    if (ended !== undefined) addEnded(registry, own, { ...ended, endings });
  }
  for (const [name, [read, help]] of Object.entries(INPUT_GAUGED)) addOfInputs(registry, { name, help }, tasks, read);
  addDurations(registry, all);
  addProbes(registry, all);
  addSilentOwners(registry, () => pipelines);
  addLookUps(registry, observed);
  addDeliveries(registry, () => observed.deliveries());
  addStats(registry, tasks);
  addOfStores(registry, observed, () => pipelines);
  addReady(registry, () => unreadyReasons({ processes: [viewOf(observed, pipelines)], absences: [] }));
  const taskStates = { name: 'flatline_task_state', help: '1 for the state a task is in, 0 for the others' };
  addStates(registry, taskStates, tasks, SHOWN_STATES);
  addStandbys(registry, () => pipelines.map(({ name, standbys }) => ({ pipeline: name, parts: standbys })));
  return {
    metrics: async () => {
      pipelines = observed.pipelines();
      await turn();
      return exposition(registry, turn);
    },
    samples: async () => {
      pipelines = observed.pipelines();
      await turn();
      return registry.getMetricsAsJSON();
    },
    described: () => describedIn(registry),
  };
}

type Of<T> = () => readonly Summands<T>[];

function summandsOf(pipelines: readonly PipelineStatus[]): Summands<TaskStatus>[] {
  return pipelines.map(({ name, tasks }) => ({ pipeline: name, parts: tasks }));
}

function addCounted(registry: Registry, of: Of<TaskStatus>, all: Counted): void {
  for (const [name, [counter, help]] of Object.entries(all))
    addSummed(registry, { name, help, of, read: ({ counters }) => counters?.[counter] });
}

function addStandbys(registry: Registry, of: Of<StandbyStatus>): void {
  const parts = (): StandbyStatus[] => of().flatMap((each) => each.parts);
  for (const [name, [read, help]] of Object.entries(STANDBY_GAUGED))
    addGauge(registry, { name, help, of: parts, read });
  for (const [name, [read, help]] of Object.entries(STANDBY_GROWING)) addSummed(registry, { name, help, of, read });
  const states = { name: 'flatline_standby_state', help: '1 for the state a standby is in, 0 for the others' };
  addStates(registry, states, parts, STANDBY_STATES);
}

function addOfInputs(
  registry: Registry,
  described: Described,
  of: () => readonly TaskStatus[],
  read: Read<InputStatus>[0],
): void {
  registry.registerMetric(
    new Gauge({
      ...described,
      labelNames: ['pipeline', 'partition', 'topic'],
      registers: [],
      collect() {
        this.reset();
        for (const task of of())
          for (const input of task.inputs) {
            const value = read(input);
            if (value !== undefined) this.set({ ...labelsOf(task), topic: input.topic }, value);
          }
      },
    }),
  );
}

type Tasks = () => readonly TaskStatus[];

function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}

function addBuild(registry: Registry, { version, application }: Observed): void {
  const labels = { version, application, node: process.versions.node };
  const help = 'Always 1; what runs stands in the labels';
  const build = { name: 'flatline_build_info', help, labelNames: Object.keys(labels), registers: [registry] };
  new Gauge(build).set(labels, 1);
}

function addLookUps(registry: Registry, observed: Observed): void {
  registry.registerMetric(
    new Gauge({
      name: 'flatline_look_up_fill_ratio',
      help: 'Share of the look-ups that may wait in this process at once that do',
      registers: [],
      collect() {
        this.set(observed.lookUpFill);
      },
    }),
  );
}

function addReady(registry: Registry, unready: () => readonly string[]): void {
  registry.registerMetric(
    new Gauge({
      name: 'flatline_ready',
      help: '1 while /readyz says yes for this process, 0 while it says no',
      registers: [],
      collect() {
        this.set(unready().length === 0 ? 1 : 0);
      },
    }),
  );
}

function addDurations(registry: Registry, of: Of<TaskStatus>): void {
  addHistogram(registry, {
    name: 'flatline_close_delay_seconds',
    of,
    read: (task: TaskStatus) => task.closeDelays,
    help: "From the instant a session's close is due to where readers of the output see it",
  });
  addHistogram(registry, {
    name: 'flatline_commit_duration_seconds',
    of,
    read: (task: TaskStatus) => task.commitDurations,
    help: 'Durations of transactions',
  });
  addHistogram(registry, {
    name: 'flatline_lateness_seconds',
    labels: ['topic'],
    of: () => of().flatMap(latenessIn),
    read: ({ lateness }) => lateness,
    help: 'How far behind the partition clock records came, where their producers stamp them; with their topic, where there are several inputs (C7)',
  });
}

type Lateness = Pick<TaskStatus, 'pipeline' | 'partition' | 'lateness'>;

/** For each of several inputs, by its topic; of one input without it. */
function latenessIn({ pipeline, parts }: Summands<TaskStatus>): readonly Summands<Lateness>[] {
  const topics = new Set(parts.flatMap(({ inputs }) => inputs.map(({ topic }) => topic)));
  if (topics.size === 0) return [{ pipeline, parts }];
  return [...topics].map((topic) => ({
    pipeline,
    more: { topic },
    parts: parts.map(({ partition, inputs }) => {
      return { pipeline, partition, lateness: inputs.find((each) => each.topic === topic)?.lateness };
    }),
  }));
}

/** Figures of the newest window that is over (S12), told apart by its length in seconds. */
const STATS_GAUGED: Readonly<Record<string, readonly [(window: ShownWindow) => number, string]>> = {
  flatline_stats_window_end_timestamp_seconds: [
    ({ windowEnd }) => windowEnd / 1000,
    'End of the newest window of statistics that is over, seconds since the epoch (S12)',
  ],
  flatline_stats_opened: [({ opened }) => opened, 'Sessions opened in that window'],
  flatline_stats_closed: [({ closed }) => closed, 'Sessions closed as of an instant of that window'],
  flatline_stats_active: [({ active }) => active, 'Sessions open at the end of that window'],
  flatline_stats_duration_seconds_sum: [
    ({ durationSum }) => durationSum / 1000,
    'How long the sessions lasted that closed in that window, together',
  ],
};

function addStats(registry: Registry, tasks: Tasks): void {
  for (const [name, [read, help]] of Object.entries(STATS_GAUGED))
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames: ['pipeline', 'partition', 'window'],
        registers: [],
        collect() {
          this.reset();
          for (const task of tasks())
            for (const window of windowsOf(task)) {
              const length = String((window.windowEnd - window.windowStart) / 1000);
              this.set({ ...labelsOf(task), window: length }, read(window));
            }
        },
      }),
    );
}

function addOfStores(registry: Registry, observed: Observed, of: () => readonly PipelineStatus[]): void {
  const damaged = {
    name: 'flatline_damaged_stores',
    help: `Local stores dropped as damaged within the hour (R2); above ${DAMAGED_STORES_MAX} the instance is unready`,
  };
  addOfPipelines(registry, damaged, () =>
    of().map(({ name, storeDrops }) => [name, recentDamage(storeDrops, observed.wallNow).length]),
  );
  const errors = {
    name: 'flatline_store_errors_total',
    help: 'Errors at opening, writing, wiping and closing local stores; the changelog has everything',
  };
  addOfPipelines(registry, errors, () => of().map(({ name, storeErrors }) => [name, storeErrors]));
}

interface EndedBy extends Ended {
  /** Counters, by reason. */
  readonly endings: Readonly<Record<string, string>>;
}

function addEnded(registry: Registry, of: Of<TaskStatus>, { name, help, endings }: EndedBy): void {
  interface Reason {
    readonly pipeline: string;
    readonly partition: number;
    readonly count: number | undefined;
  }
  const byReason = (): Summands<Reason>[] =>
    of().flatMap(({ pipeline, parts }) =>
      Object.entries(endings).map(([reason, counter]) => ({
        pipeline,
        more: { reason },
        parts: parts.map((task) => ({ pipeline, partition: task.partition, count: task.counters?.[counter] })),
      })),
    );
  addSummed(registry, { name, help, labels: ['reason'], of: byReason, read: ({ count }) => count });
}
