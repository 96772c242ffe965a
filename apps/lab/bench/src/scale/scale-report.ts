// What a measurement of several instances says. Pure.
import { LOOP_DELAY_NOTE, loopDelayText, loopDelayVerdict, worstDelay, type LoopDelay } from '../loop-delay.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { short, textTable } from '../text-table.ts';
import type { ScaleCost } from './scale-benchmark.ts';

/** Each instance compiles its code on so many, and is measured afterwards. */
export const WARM_UP_EVENTS = 1_500_000;

export interface ScaleFigures {
  readonly instances: number;
  readonly eventsPerSecond: Spread;
  /** All instances together. */
  readonly eventsPerCpuSecond: Spread;
  /** Share of one instance's work per CPU second that is lost; negative: gained. */
  readonly loss: number;
  readonly loopDelay: LoopDelay;
}

/** What the project promises. */
const LOSS_MAX = 0.15;

/** @param costs the fewest instances first */
export function scaleFigures(costs: readonly ScaleCost[]): readonly ScaleFigures[] {
  const byCount = [...Map.groupBy(costs, ({ instances }) => instances)];
  const perCpu = (each: readonly ScaleCost[]): Spread =>
    spreadOf(each.map(({ events, cpuMs }) => (1_000 * events) / cpuMs));
  const alone = perCpu(byCount[0]![1]).median;
  return byCount.map(([instances, each]) => ({
    instances,
    eventsPerSecond: spreadOf(each.map(({ events, elapsedMs }) => (1_000 * events) / elapsedMs)),
    eventsPerCpuSecond: perCpu(each),
    loss: 1 - perCpu(each).median / alone,
    loopDelay: worstDelay(each.map(({ loopDelay }) => loopDelay)),
  }));
}

export function scaleText(figures: readonly ScaleFigures[]): string {
  const head = ['instances', 'events/s', 'events/CPU-s', '', 'loss', 'loop ms'];
  const rows = figures.map(({ instances, eventsPerSecond, eventsPerCpuSecond, loss, loopDelay }) => [
    String(instances),
    short(eventsPerSecond.median),
    short(eventsPerCpuSecond.median),
    `(${short(eventsPerCpuSecond.min)} – ${short(eventsPerCpuSecond.max)})`,
    `${(100 * loss).toFixed(0)} %`,
    loopDelayText(loopDelay),
  ]);
  const most = Math.max(...figures.map(({ loss }) => loss));
  return [
    textTable([head, ...rows]),
    '',
    'CPU: of all instances together, until everything was committed; medians, least to most in brackets. More instances than',
    'processors make nothing faster here: what counts is what a CPU second gets done. All events are there before the first is',
    `seen; ${short(WARM_UP_EVENTS)} per instance have come before them, for a warm-up.`,
    'loss: of events per CPU second, to one instance; below 0: a gain.',
    LOOP_DELAY_NOTE,
    `loss: at most ${100 * LOSS_MAX} %: ${most <= LOSS_MAX ? 'met' : 'MISSED'}`,
    loopDelayVerdict(worstDelay(figures.map(({ loopDelay }) => loopDelay))),
  ].join('\n');
}

export function scaleChart(figures: readonly ScaleFigures[]): BarChart {
  return {
    name: 'per-cpu-second',
    title: 'events per CPU second of all instances together; more is better',
    bars: figures.map(({ instances, eventsPerCpuSecond }) => ({
      label: instances === 1 ? '1 instance' : `${instances} instances`,
      ...eventsPerCpuSecond,
      ours: true,
    })),
  };
}
