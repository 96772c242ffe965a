// Followed sessions as text, as a monitor at a bedside draws them. Pure.
import type { DurationMs } from '@flatline/base';
import type { Colors } from '../../terminal/console.ts';
import { padded, printable, shorten } from '../../terminal/printable.ts';
import type { MonitoredSession } from './monitor.ts';

/** Time that a column stands for. */
const COLUMN_MS: DurationMs = 200;
const KEY_COLUMNS = 12;
const WORDS_COLUMNS = 30;
/** A shorter trace says nothing. */
const TRACE_COLUMNS_MIN = 10;
const TRACE_COLUMNS_MAX = 60;

const [SILENT, BEAT, FLAT] = ['─', '╨', '━'];
/** Silent for this share of the timeout, it is no pause between beats. */
const QUIET_SHARE = 0.4;

/** A line for each, at most `columns` wide; empty where the terminal is too narrow. */
export function monitorLines(
  sessions: readonly (MonitoredSession | undefined)[],
  timeoutMs: DurationMs,
  colors: Colors,
  columns: number,
): readonly string[] {
  const width = Math.min(TRACE_COLUMNS_MAX, columns - KEY_COLUMNS - WORDS_COLUMNS - 4);
  if (width < TRACE_COLUMNS_MIN || sessions.every((session) => session === undefined)) return [];
  return sessions.map((session) => {
    if (session === undefined) return '';
    const key = padded(shorten(printable(session.id), KEY_COLUMNS), KEY_COLUMNS);
    return `${key}  ${trace(session, timeoutMs, width, colors)}  ${words(session, timeoutMs, colors)}`;
  });
}

/** The present at the right. What lies before its first beat, and after its close, is empty, but for the flat line. */
function trace({ beatsAgoMs, closed }: MonitoredSession, timeoutMs: DurationMs, width: number, colors: Colors): string {
  const columnOf = (agoMs: DurationMs): number => width - 1 - Math.floor(agoMs / COLUMN_MS);
  const beats = new Set(beatsAgoMs.map(columnOf));
  const first = Math.max(0, columnOf(beatsAgoMs[0] ?? 0));
  const last = columnOf(beatsAgoMs.at(-1) ?? 0);
  const end = closed === undefined ? width : columnOf(closed.agoMs);
  const isQuiet = (beatsAgoMs.at(-1) ?? 0) >= QUIET_SHARE * timeoutMs || closed !== undefined;
  const { dim, green, red, yellow } = colors;
  let drawn = ' '.repeat(first);
  for (let column = first; column < width; column += 1)
    if (beats.has(column)) drawn += green(BEAT);
    else if (column >= end) drawn += red(FLAT);
    else drawn += (column > last && isQuiet ? yellow : dim)(SILENT);
  return drawn;
}

function words({ beatsAgoMs, closed }: MonitoredSession, timeoutMs: DurationMs, colors: Colors): string {
  const { dim, red, cyan, yellow } = colors;
  const silentMs = beatsAgoMs.at(-1) ?? 0;
  if (closed?.reason === 'TIMEOUT') return red(`TIMEOUT after ${seconds(silentMs - closed.agoMs)} of silence`);
  if (closed !== undefined) return cyan(closed.reason);
  const said = `silent ${seconds(silentMs)} of ${seconds(timeoutMs)}`;
  return silentMs >= QUIET_SHARE * timeoutMs ? yellow(said) : dim('alive');
}

function seconds(ms: DurationMs): string {
  return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
}
