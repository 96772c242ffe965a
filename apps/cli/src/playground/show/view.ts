// Renders a picture of the moment as text. Pure.
import { count, counted, type DurationMs, plural } from '@flatline/base';
import { stripVTControlCharacters } from 'node:util';
import type { Colors } from '../../terminal/console.ts';
import { padded, printableKey, shorten } from '../../terminal/printable.ts';
import { duration } from '../../terminal/progress.ts';
import type { MonitoredSession } from './monitor.ts';
import { monitorLines } from './monitor-view.ts';

export interface ClosedSession {
  readonly key: Uint8Array;
  readonly reason: string;
  readonly durationMs: DurationMs;
  readonly eventCount: number;
  readonly incarnation: string;
}

export interface PartitionRow {
  readonly partition: number;
  readonly state: string;
  readonly liveEntries: number;
  readonly recordsRead: number;
  readonly sessionsClosed: number;
  /** Records of the input not yet read; undefined: not known yet. */
  readonly lag: number | undefined;
  readonly detail: string | undefined;
}

/** A picture of the moment. */
export interface ShowPicture {
  readonly name: 'demo' | 'try';
  readonly broker: string;
  readonly topic: string;
  /** Where the processor answers over HTTP. */
  readonly http: string;
  readonly timeoutMs: DurationMs;
  readonly elapsedMs: DurationMs;
  readonly heartbeats: number;
  readonly heartbeatsPerSecond: number;
  /** Sessions the fleet has begun. */
  readonly begun: number;
  /** Closes read from the output topic. */
  readonly closed: number;
  readonly closedPerSecond: number;
  readonly live: number;
  /** Sessions there will be; undefined: no end. */
  readonly total: number | undefined;
  /** From a deadline to the summary that says so, over the last closes. */
  readonly closeDelayMs: { readonly median: DurationMs; readonly p99: DurationMs } | undefined;
  readonly partitions: readonly PartitionRow[];
  /** Newest first. */
  readonly recent: readonly ClosedSession[];
  /** A few of them, line by line. */
  readonly monitored: readonly (MonitoredSession | undefined)[];
  /** Activity other than just running; undefined: none. */
  readonly phase: string | undefined;
}

const KEY_COLUMNS = 24;
/** Narrower terminals are shown the columns that say most. */
const WIDE_COLUMNS = 80;
/** A shorter bar says nothing. */
const BAR_COLUMNS_MIN = 10;
const TELLING_SHARE = 0.05;
const rate = (perSecond: number): string => `${count(Math.round(perSecond))}/s`;

/**
 * The live view of a terminal, at most `columns` wide and `rows` high: what does not fit is left out from below, the closed
 * sessions first, and the header never.
 */
export function renderShow(
  picture: ShowPicture,
  colors: Colors,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string {
  const { bold, dim } = colors;
  const title = [picture.broker, picture.http, picture.topic, `timeout ${duration(picture.timeoutMs)}`];
  const isNarrow = columns < WIDE_COLUMNS;
  const head = [
    bold(`Flatline ${picture.name}`) + dim(`  ${shorten(title.join(' · '), columns - 16)}`),
    '',
    ...totals(picture, isNarrow),
  ];
  const tables: readonly Table[] = [
    {
      heading: dim('sessions as they live and fall silent'),
      rows: monitorLines(picture.monitored, picture.timeoutMs, colors, columns),
    },
    {
      heading: dim(`partition  state          live     closed${isNarrow ? '' : '        read      lag'}`),
      rows: picture.partitions.map((row) => partitionLine(row, colors, isNarrow)),
    },
    {
      heading: dim('last closed sessions'),
      rows: picture.recent.map((session) => closedLine(session, colors, isNarrow)),
    },
  ];
  const foot = ['', progressLine(picture, columns), dim(picture.phase ?? 'Ctrl-C ends')];
  // The cursor stands in a line of its own.
  const room = rows - 1 - heightOf([...head, ...foot], columns);
  return [...head, ...fitting(tables, room, columns), ...foot].join('\n');
}

interface Table {
  readonly heading: string;
  readonly rows: readonly string[];
}

/** The tables' lines up to the first that does not fit. A heading without a row says nothing, and is left out. */
function fitting(tables: readonly Table[], room: number, columns: number): string[] {
  const shown: string[] = [];
  for (const { heading, rows } of tables) {
    let left = room - heightOf([...shown, '', heading], columns);
    const fit = rows.filter((row) => {
      left -= heightOf([row], columns);
      return left >= 0;
    });
    if (fit.length > 0) shown.push('', heading, ...fit);
    if (fit.length < rows.length) break;
  }
  return shown;
}

/** Rows that the lines take where what is wider than the terminal goes on in the next one. */
export function heightOf(lines: readonly string[], columns: number): number {
  const widths = lines.map((line) => stripVTControlCharacters(line).length);
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}

function totals(picture: ShowPicture, isNarrow: boolean): string[] {
  const { closeDelayMs } = picture;
  const delay =
    closeDelayMs === undefined
      ? '–'
      : `${duration(closeDelayMs.median)} median, ${duration(closeDelayMs.p99)} p99${isNarrow ? '' : ', from the deadline to the summary'}`;
  return [
    `heartbeats   ${count(picture.heartbeats).padStart(10)}   ${rate(picture.heartbeatsPerSecond)}`,
    `live         ${count(picture.live).padStart(10)}   of ${counted(picture.begun, 'session')} begun`,
    `closed       ${count(picture.closed).padStart(10)}   ${rate(picture.closedPerSecond)}`,
    `close delay  ${delay}`,
  ];
}

function partitionLine(row: PartitionRow, colors: Colors, isNarrow: boolean): string {
  const cells = [
    String(row.partition).padStart(9),
    colorOfState(row.state, colors)(row.state.padEnd(12)),
    count(row.liveEntries).padStart(6),
    count(row.sessionsClosed).padStart(10),
    ...(isNarrow
      ? []
      : [count(row.recordsRead).padStart(11), (row.lag === undefined ? '–' : count(row.lag)).padStart(8)]),
  ];
  return cells.join('  ').replace('  ', '  ') + (row.detail === undefined ? '' : `  ${row.detail}`);
}

function colorOfState(state: string, { green, red, yellow }: Colors): (text: string) => string {
  if (state === 'running') return green;
  return state === 'stopped' ? red : yellow;
}

/** One closed session as a line; the key is hostile and comes out escaped. */
function closedLine(session: ClosedSession, { cyan, dim, yellow }: Colors, isNarrow: boolean): string {
  const key = padded(shorten(printableKey(session.key), KEY_COLUMNS), KEY_COLUMNS);
  const reason = (session.reason === 'TIMEOUT' ? yellow : cyan)(session.reason.padEnd(12));
  const length = duration(session.durationMs).padStart(9);
  if (isNarrow) return `${key}  ${reason}  ${length}`;
  return `${key}  ${reason}  ${length}  ${count(session.eventCount).padStart(6)} ${plural(session.eventCount, 'event').padEnd(6)}  ${dim(session.incarnation)}`;
}

function progressLine(picture: ShowPicture, columns: number): string {
  const { closed, total, closedPerSecond } = picture;
  if (total === undefined) return `running for ${duration(picture.elapsedMs)}`;
  const share = total === 0 ? 1 : Math.min(1, closed / total);
  const room = Math.min(40, columns - 60);
  const width = room < BAR_COLUMNS_MIN ? 0 : room;
  const filled = Math.floor(share * width);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(width - filled)}${width === 0 ? '' : ' '}`;
  // Until some have closed, the rate is that of the few that ended early.
  const left =
    share >= TELLING_SHARE && closedPerSecond > 0 && closed < total
      ? `, ${duration((1000 * (total - closed)) / closedPerSecond)} left`
      : '';
  return `${bar}${Math.floor(100 * share)} %  ${count(closed)} of ${counted(total, 'session')} closed${left}`;
}

/** The same as one line, for a log. */
export function statusLine(picture: ShowPicture): string {
  const parts = [
    `${duration(picture.elapsedMs)}: ${counted(picture.heartbeats, 'heartbeat')} (${rate(picture.heartbeatsPerSecond)})`,
    `${count(picture.live)} live`,
    picture.total === undefined
      ? `${counted(picture.closed, 'session')} closed (${rate(picture.closedPerSecond)})`
      : `${count(picture.closed)} of ${counted(picture.total, 'session')} closed (${rate(picture.closedPerSecond)})`,
  ];
  const newest = picture.recent[0];
  if (newest !== undefined)
    parts.push(
      `last ${shorten(printableKey(newest.key), KEY_COLUMNS)} ${newest.reason} after ${duration(newest.durationMs)}`,
    );
  return parts.join(', ');
}
