// The page of a throughput measurement: medians, spreads and ratios within one measurement. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, tableText } from '../frame/page.ts';
import { COMPILING_NOTE, WARM_UP_NOTE } from '../frame/warm-broker.ts';
import { loopDelayText, loopDelayVerdict } from '../loop-delay.ts';
import { loadWarning, type Machine, type MachineLoad, machineText } from '../machine.ts';
import type { BarChart } from '../report/bar-chart.ts';
import type { Spread } from '../statistics.ts';
import { ifKnown, medianText, megabytes, rangeText, seconds, short } from '../text-table.ts';
import { WARM_UP_TIME_SHARE } from '../tasks/contender-task.ts';
import type { Contender } from './contenders.ts';
import type { EventFormat } from '../tasks/event-format.ts';
import {
  type ContenderFigures,
  figuresOf,
  type FormatFigures,
  type FormatMeasurement,
  type ProcessorFigures,
} from './throughput-figures.ts';
import { goalLines } from './throughput-goals.ts';

export interface ThroughputSettings {
  readonly events: number;
  /** Share of the events, at the beginning, left out of every contender's cost: only the steady state is measured. */
  readonly warmUpShare: number;
  readonly sessions: number;
  readonly partitions: number;
  /** Turns of each contender. */
  readonly repeats: number;
  readonly commitIntervalMs: DurationMs;
}

export interface ThroughputMeasurement {
  readonly machine: Machine;
  readonly loadBefore: MachineLoad;
  readonly loadAfter: MachineLoad;
  readonly settings: ThroughputSettings;
  readonly contenders: readonly Pick<Contender, 'name' | 'does' | 'lacks' | 'streams'>[];
  /** Remarks about several contenders. */
  readonly notes: readonly string[];
  /** Peers that did not take part, or failed, with the reason. */
  readonly absent: readonly string[];
  /** Versions of the peers' platforms. */
  readonly versions: readonly string[];
  readonly formats: readonly FormatMeasurement[];
}

/** Two charts per format: per CPU second, and per second. */
export function throughputCharts(formats: readonly FormatFigures[]): readonly BarChart[] {
  return formats.flatMap(({ format, contenders }) => {
    const drawn = (name: string, per: string, bar: (row: ContenderFigures) => Spread): BarChart => {
      const title = `${format} events per ${per}; more is better`;
      return chart(contenders, { name: `${format}-${name}`, title, label: ({ contender }) => contender, bar });
    };
    return [
      drawn('per-cpu-second', 'CPU second', ({ eventsPerCpuSecond }) => eventsPerCpuSecond),
      drawn('per-second', 'second', ({ eventsPerSecond }) => eventsPerSecond),
    ];
  });
}

export function throughputText(measurement: ThroughputMeasurement): string {
  const { machine, loadBefore, loadAfter, settings, formats, contenders, notes, absent, versions } = measurement;
  const { events, warmUpShare, sessions, partitions, repeats, commitIntervalMs } = settings;
  const loads = `load ${loadBefore.loadAverage.toFixed(1)} before, ${loadAfter.loadAverage.toFixed(1)} after`;
  const warnings = [loadWarning('before', loadBefore), loadWarning('after', loadAfter)].filter(
    (each) => each !== undefined,
  );
  const sections = formats.map((format) => formatText(figuresOf(format, contenders)));
  return [
    `${machineText(machine)}; ${loads}`,
    ...(versions.length === 0 ? [] : [versions.join(', ')]),
    `${short(events)} events of ${short(sessions)} sessions, ${partitions} partitions, commits every ${commitIntervalMs} ms;`,
    `${repeats === 1 ? 'one turn' : `medians of ${repeats} turns, least to most in brackets`}; CPU of all processes of a contender; the broker's has a column of its own;`,
    COMPILING_NOTE,
    WARM_UP_NOTE,
    warmUpText(events, warmUpShare),
    ...warnings.map((warning) => `WARNING: ${warning}`),
    ...sections.flatMap((section) => ['', section]),
    '',
    ...contenders.flatMap(({ name, does, lacks }) => [
      `${name}: ${does}`,
      ...(lacks === undefined ? [] : [`  lacks ${lacks}`]),
    ]),
    ...notes,
    ...absent.map((each) => `not run: ${each}`),
  ].join('\n');
}

function warmUpText(events: number, warmUpShare: number): string {
  if (warmUpShare === 0) return 'from the first event on, while code is compiled';
  return (
    `measured: events after a warm-up of the first ${short(warmUpShare * events)}, or, of those that are stopped by time, of at most\n` +
    `${100 * WARM_UP_TIME_SHARE} % of that; from then until all is dealt with and committed, or time is up (stopped). The first event of each session comes\n` +
    'before all others: who is stopped early has seen fewer sessions'
  );
}

function formatText({ format, contenders, processor }: FormatFigures): string {
  const perCpu = (name: string): number =>
    contenders.find(({ contender }) => contender === name)!.eventsPerCpuSecond.median;
  const [flatline, kafkajs] = [perCpu('flatline'), perCpu('kafkajs')];
  const table = tableText<ContenderFigures>(
    [
      [`${format} events`, ({ contender }) => contender],
      ['events/s', ({ eventsPerSecond }) => medianText(eventsPerSecond)],
      ['events/CPU-s', ({ eventsPerCpuSecond }) => medianText(eventsPerCpuSecond)],
      ['', ({ eventsPerCpuSecond }) => rangeText(eventsPerCpuSecond)],
      ['broker µs/event', ({ brokerUsPerEvent }) => ifKnown(brokerUsPerEvent, medianText)],
      ['of it compiling', ({ compilingUsPerEvent }) => ifKnown(compilingUsPerEvent, medianText, '–')],
      ['× kafkajs', ({ eventsPerCpuSecond }) => short(eventsPerCpuSecond.median / kafkajs)],
      ['flatline is', ({ eventsPerCpuSecond }) => `${short(flatline / eventsPerCpuSecond.median)} ×`],
      ['measured', ({ records }) => medianText(records)],
      ['s', ({ elapsedMs }) => seconds(elapsedMs.median)],
      ['', ({ stopped }) => (stopped ? 'stopped' : '')],
      ['RSS', ({ rssBytes }) => megabytes(rssBytes.median)],
      ['peak', ({ peakRssBytes }) => megabytes(peakRssBytes.median)],
    ],
    contenders,
  );
  return [table, processorText(format, processor)].join('\n');
}

function processorText(format: EventFormat, processor: ProcessorFigures): string {
  const { timesKafkajsToClose, commits, commitP50Ms, commitP99Ms } = processor;
  return [
    ...goalLines(format, processor).map((line) => `  ${line}`),
    `  with the last flush and closing: ${short(processor.eventsPerCpuSecondToClose.median)} events/CPU-s, ` +
      `${timesKafkajsToClose.toFixed(2)} × kafkajs`,
    `  commits of the whole run: ${short(commits.median)}, p50 ${short(commitP50Ms.median)} ms, p99 ${short(commitP99Ms.median)} ms`,
    `  ${loopDelayVerdict(processor.loopDelay)}: ${loopDelayText(processor.loopDelay)} ms (p99 / most / most CPU)`,
    `  resident per live session: ${short(processor.rssBytesPerSession.median)} bytes of ${short(processor.liveSessions)} ` +
      'sessions, buffers and code included; a JVM takes the heap it is given',
  ].join('\n');
}
