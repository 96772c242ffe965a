// The machine that a benchmark ran on, and its other load: figures mean little without them.
import type { DurationMs } from '@flatline/base';
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, platform, release } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Published pages, from the root: the only files that change while several reports of one commit are written. */
export const REPORTS = 'docs/benchmarks';

interface WorkTree {
  /** As git names it; `unknown` without git. */
  readonly commit: string;
  /** True if files have been added or changed since that commit, not counting published reports. */
  readonly isDirty: boolean;
}

export interface Machine extends WorkTree {
  readonly processor: string;
  readonly processors: number;
  readonly system: string;
  readonly node: string;
}

export interface MachineLoad {
  /** Runnable tasks, mean over the last minute; 0 if the platform does not tell. */
  readonly loadAverage: number;
  /** Share of all processors that was busy during this measurement, with nothing of ours running. */
  readonly busyShare: number;
}

const WATCH_MS: DurationMs = 1_000;
/** Above this, figures include a noticeable part of other load. */
const BUSY_SHARE_MAX = 0.1;

export function thisMachine(): Machine {
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    processors: availableParallelism(),
    system: `${platform()} ${release()}`,
    node: process.version,
    ...workTreeOf(import.meta.dirname),
  };
}

/** The measured version of the project. @param folder somewhere within it */
export function workTreeOf(folder: string): WorkTree {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed = git('status', '--porcelain', '--', ':/', `:(top,exclude)${REPORTS}`);
    return { commit: git('rev-parse', '--short', 'HEAD'), isDirty: changed !== '' };
  } catch {
    return { commit: 'unknown', isDirty: false }; // a copy without its history
  }
}

/** Watches the processors for a second; to be called while nothing is measured. */
export async function machineLoad(): Promise<MachineLoad> {
  const before = ticks();
  await delay(WATCH_MS);
  const after = ticks();
  const all = after.all - before.all;
  return { loadAverage: loadavg()[0] ?? 0, busyShare: all === 0 ? 0 : 1 - (after.idle - before.idle) / all };
}

export function isBusy({ busyShare }: MachineLoad): boolean {
  return busyShare > BUSY_SHARE_MAX;
}

/** undefined: the machine was quiet. */
export function loadWarning(when: 'before' | 'after', load: MachineLoad): string | undefined {
  if (!isBusy(load)) return undefined;
  const { loadAverage, busyShare } = load;
  return (
    `the machine was busy with other things ${when} the run: ${(100 * busyShare).toFixed(0)} % of its processors, ` +
    `load ${loadAverage.toFixed(1)}; rates per second say little, ratios within the run and CPU seconds more`
  );
}

export function machineText({ processor, processors, system, node, commit, isDirty }: Machine): string {
  return `${processors} × ${processor}, ${system}, Node ${node}, Flatline ${commit}${isDirty ? ' (dirty)' : ''}`;
}

function ticks(): { idle: number; all: number } {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idle, all };
}
