// How far long work has come, as text: pure, so that a terminal and a log say the same.
import { count, counted, type DurationMs } from '@flatline/base';

export interface Progress {
  /** The work, as a participle: `importing`. */
  readonly doing: string;
  /** The unit that is counted, in the singular: `record`. */
  readonly unit: string;
  readonly done: number;
  /** undefined: not known. */
  readonly total: number | undefined;
  readonly elapsedMs: DurationMs;
}

/** `importing: 4,500 of 10,000 records, 45 %, 12,300/s, 4 s left` */
export function progressText(progress: Progress): string {
  const { done, total, elapsedMs } = progress;
  const parts = [
    total === undefined ? counted(done, progress.unit) : `${count(done)} of ${counted(total, progress.unit)}`,
  ];
  if (total !== undefined && total > 0) parts.push(`${Math.floor((100 * done) / total)} %`);
  const perSecond = ratePerSecond(done, elapsedMs);
  if (perSecond !== undefined) parts.push(`${count(Math.round(perSecond))}/s`);
  if (total !== undefined && perSecond !== undefined && perSecond > 0 && done < total)
    parts.push(`${duration((1000 * (total - done)) / perSecond)} left`);
  return `${progress.doing}: ${parts.join(', ')}`;
}

/** undefined before a tenth of a second has passed: a rate over less says nothing. */
export function ratePerSecond(done: number, elapsedMs: DurationMs): number | undefined {
  return elapsedMs < 100 ? undefined : (1000 * done) / elapsedMs;
}

/** `850 ms`, `4 s`, `3 min 20 s`, `2 h 5 min`; rounded to the nearest of the smaller unit. */
export function duration(ms: DurationMs): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
