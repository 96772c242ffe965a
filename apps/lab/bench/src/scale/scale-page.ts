// The page of a measurement of several instances. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, loopVerdict, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { type LoopDelay, LOOP_DELAY_NOTE, loopDelayText } from '../loop-delay.ts';
import { medianText, short } from '../text-table.ts';

/** Cost from the moment the input can be read until all of it is committed. */
export interface ScaleCost {
  readonly instances: number;
  readonly events: number;
  readonly elapsedMs: DurationMs;
  /** All instances together. */
  readonly cpuMs: DurationMs;
  /** The worst instance. */
  readonly loopDelay: LoopDelay;
}

/** Unmeasured events on which each instance compiles its code. */
export const WARM_UP_EVENTS = 1_500_000;
/** The project's goal. */
const LOSS_MAX = 0.15;

const { spread, worst } = combine<ScaleCost>();
const FIGURES = {
  eventsPerSecond: spread(({ events, elapsedMs }) => (1_000 * events) / elapsedMs),
  eventsPerCpuSecond: spread(({ events, cpuMs }) => (1_000 * events) / cpuMs),
  loopDelay: worst(({ loopDelay }) => loopDelay),
};

interface ScaleRow extends Row<ScaleCost, 'instances', typeof FIGURES> {
  /** Share of one instance's work per CPU second that is lost; negative: gained. */
  readonly loss: number;
}

/** @param costs the fewest instances first */
export function scaleRows(costs: readonly ScaleCost[]): readonly ScaleRow[] {
  const rows = rowsOf(costs, ['instances'], FIGURES);
  const alone = rows[0]!.eventsPerCpuSecond.median;
  return rows.map((row) => ({ ...row, loss: 1 - row.eventsPerCpuSecond.median / alone }));
}

export const SCALE_PAGE: Page<ScaleRow> = {
  columns: [
    ['instances', ({ instances }) => String(instances)],
    ['events/s', ({ eventsPerSecond }) => medianText(eventsPerSecond)],
    ['events/CPU-s', ({ eventsPerCpuSecond }) => medianText(eventsPerCpuSecond)],
    ['', ({ eventsPerCpuSecond: { min, max } }) => `(${short(min)} – ${short(max)})`],
    ['loss', ({ loss }) => `${(100 * loss).toFixed(0)} %`],
    ['loop ms', ({ loopDelay }) => loopDelayText(loopDelay)],
  ],
  note: [
    'CPU: of all instances together, until everything was committed; medians, least to most in brackets. More instances than',
    'processors make nothing faster here: what counts is what a CPU second gets done. All events are there before the first is',
    `seen; ${short(WARM_UP_EVENTS)} per instance have come before them, for a warm-up.`,
    'loss: of events per CPU second, to one instance; below 0: a gain.',
    LOOP_DELAY_NOTE,
  ].join('\n'),
  verdicts: (rows) => {
    const most = Math.max(...rows.map(({ loss }) => loss));
    const loss = `loss: at most ${100 * LOSS_MAX} %: ${verdict(most <= LOSS_MAX)}`;
    return [loss, ...loopVerdict(rows.map(({ loopDelay }) => loopDelay))];
  },
  charts: (rows) => [
    chart(rows, {
      name: 'per-cpu-second',
      title: 'events per CPU second of all instances together; more is better',
      label: ({ instances }) => (instances === 1 ? '1 instance' : `${instances} instances`),
      isOurs: () => true,
      bar: ({ eventsPerCpuSecond }) => eventsPerCpuSecond,
    }),
  ],
};
