// Very many entries that wait and are due within the same second: the cost of adding them, the memory that they take meanwhile, how
// long the last one waits for its reader, and how late others are that are due before, within and after that second.
import type { DurationMs } from '@flatline/base';
import { systemClock } from '@flatline/system';
import type { Benchmark, BenchmarkOptions } from '../benchmark.ts';
import type { Application } from '../tasks/application.ts';
import { framed, over } from '../frame/frame.ts';
import type { Described, LineUp } from '../frame/line-up.ts';
import { takeApplicationTurns } from '../frame/turns.ts';
import type { DueCost, DueTask } from '../tasks/due-task.ts';
import { type DueContender, type DueGround, DUE_DEFAULTS } from './due-contender.ts';
import { DUE_WITHIN_MS, type DueLoad, dueLoad, OTHER_EVERY_MS, othersLate, VALUE_BYTES } from '../tasks/due-load.ts';
import { dueRows, duePage, type DueTurn } from './due-page.ts';
import { type FlatlineDue, measureFlatlineDue } from './flatline-due.ts';

/** Time for a contender to start in, beside the time for each entry. */
const START_MS: DurationMs = 20_000;
/** A contender that has not handed over all by then is measured by what it has. */
const DRAIN_MAX_MS: DurationMs = 120_000;

interface DuePlan extends Described {
  readonly what: 'message' | 'item';
  /** @param waiting number of entries */
  readonly conditions: (waiting: number) => string;
  readonly lineUp: (options: BenchmarkOptions) => Promise<LineUp<DueContender>>;
}

export function dueBenchmark({ name, does, what, conditions, lineUp }: DuePlan): Benchmark {
  return framed({
    name,
    description: `${does}: CPU, memory, drain, delay of others`,
    settings: (options) => over(DUE_DEFAULTS, options),
    lineUp,
    conditions: ({ sessions, partitions }) =>
      `${conditions(sessions)}, ${VALUE_BYTES} bytes each, all due within ${DUE_WITHIN_MS} ms; others due each ${OTHER_EVERY_MS} ms; ` +
      `${partitions} partitions`,
    measure: (ground: DueGround, contenders: readonly DueContender[]) =>
      takeApplicationTurns(
        { ...ground, warmsUp: true },
        contenders.map((contender) => ({
          ...contender,
          hasOwnServer: contender.isPeer,
          take: (application) => takeTurn(ground, application, contender),
        })),
      ),
    report: ({ turns }) => ({ rows: dueRows(turns), page: duePage(what) }),
  });
}

/** @throws Error if the processor fails, or entries are still missing when the first is due. */
async function takeTurn(ground: DueGround, application: Application, contender: DueContender): Promise<DueTurn> {
  const { sessions } = ground;
  const loadFrom = (): DueLoad =>
    dueLoad(sessions, Math.ceil(systemClock.wallMs() + START_MS + contender.addMs * sessions));
  const plan = { loadFrom, drainMaxMs: DRAIN_MAX_MS };
  const { load, othersSeenAt, ...measured } = await contender.take(ground, application, plan);
  return {
    contender: contender.name,
    messages: sessions,
    ...measured,
    late: othersLate(load, othersSeenAt),
    othersMissing: othersSeenAt.filter((at) => at === 0).length,
  };
}

export function flatlineDue(does: string, due: FlatlineDue): DueContender {
  return {
    name: 'flatline',
    does: `exactly once: ${does}; changelog, local store; a read_committed reader of the output`,
    isPeer: false,
    addMs: 0.06,
    take: (ground, application, plan) => measureFlatlineDue(ground, application, { ...plan, due }),
  };
}

export function peerDue(
  described: Described & Pick<DueContender, 'addMs'>,
  wait: (task: DueTask) => Promise<DueCost>,
): DueContender {
  return {
    ...described,
    isPeer: true,
    take: async (_ground, { stateDir }, { loadFrom, drainMaxMs }) => {
      const load = loadFrom();
      return { load, ...(await wait({ ...load, runMaxMs: drainMaxMs, stateDir })) };
    },
  };
}
