// The page of a measurement of pending schedules. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, type Page, verdict } from '../frame/page.ts';
import type { InstanceAnswer } from '../tasks/instance-task.ts';
import type { EndBefore, RestoreCost } from '../restore/restore-page.ts';
import { megabytes, seconds, short } from '../text-table.ts';

export interface PendingCost {
  readonly schedules: number;
  readonly valueBytes: number;
  /** With half of them, and with all of them. */
  readonly half: InstanceAnswer;
  readonly all: InstanceAnswer;
  /** Cost of taking the second half. */
  readonly cpuMs: DurationMs;
  /** From the floor to the end; and the part in live bases. */
  readonly changelogBytes: number;
  readonly liveBytes: number;
}

export interface ScheduleRestart extends Pick<RestoreCost, 'entries' | 'restoreMs'> {
  readonly after: EndBefore;
  /** From when its code is loaded. */
  readonly untilRunningMs: DurationMs;
  /** Over the same span, all threads of the process. */
  readonly cpuMs: DurationMs;
}

/** Goal beside the message: head, key, place in the index and in pages. */
const OVERHEAD_BYTES_MAX = 400;
/** `changelogFactor`, by default. */
const LOG_FACTOR_MAX = 4;

type SchedulesRow = ReturnType<typeof schedulesRows>[number];

export function schedulesRows(restarts: readonly ScheduleRestart[]) {
  return restarts.map((restart) => ({ ...restart, entriesPerSecond: (1_000 * restart.entries) / restart.restoreMs }));
}

export function schedulesPage(pending: PendingCost): Page<SchedulesRow> {
  return {
    columns: [
      ['after', ({ after }) => after],
      ['schedules', ({ entries }) => short(entries)],
      ['schedules/s', ({ entriesPerSecond }) => short(entriesPerSecond)],
      ['running after s', ({ untilRunningMs }) => seconds(untilRunningMs)],
      ['CPU s', ({ cpuMs }) => seconds(cpuMs)],
    ],
    note: 'running after: from when the code of the process is loaded until all partitions run; once each.',
    verdicts: () => ['', ...pendingText(pending)],
    charts: (rows) => [
      chart(rows, {
        name: 'running',
        title: `from when its code is loaded until running with ${short(pending.schedules)} schedules, ms; less is better`,
        label: ({ after }) => after,
        isOurs: () => true,
        bar: ({ untilRunningMs: ms }) => ({ median: ms, min: ms, max: ms }),
      }),
    ],
  };
}

function pendingText({ half, all, cpuMs, schedules, valueBytes, ...log }: PendingCost): readonly string[] {
  const more = all.liveSessions - half.liveSessions;
  const each = (all.memory.anonymousBytes - half.memory.anonymousBytes) / more;
  const perLive = log.changelogBytes / log.liveBytes;
  return [
    `memory per schedule: ${each.toFixed(0)} bytes, ${(each - valueBytes).toFixed(0)} beside its value ` +
      `(at most ${OVERHEAD_BYTES_MAX}: ${verdict(each - valueBytes <= OVERHEAD_BYTES_MAX)}); the process: RSS ` +
      `${megabytes(all.memory.rssBytes)}, anonymous ${megabytes(all.memory.anonymousBytes)}`,
    `log per schedule: ${(log.changelogBytes / schedules).toFixed(0)} bytes, ${megabytes(log.changelogBytes)} in all, ` +
      `${perLive.toFixed(2)} times the live ones (at most ${LOG_FACTOR_MAX}: ${verdict(perLive <= LOG_FACTOR_MAX)})`,
    `CPU per schedule taken, read, kept and committed: ${((1_000 * cpuMs) / more).toFixed(1)} µs`,
  ];
}
