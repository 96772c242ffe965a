// Dead letters as rows of a list. Pure.
import { counted } from '@flatline/base';
import type { Colors } from '../terminal/console.ts';
import { printable, printableKey } from '../terminal/printable.ts';
import { type Table, type TableColumn, tableOf } from '../terminal/table.ts';
import type { Letter } from '@flatline/processor/letters';
import { placeOf } from './letter-survey.ts';
import { isoTime, replayedText } from './letter-text.ts';

export interface ListedLetter {
  readonly letter: Letter;
  readonly replays: number;
  readonly pipeline: string;
}

type Column = TableColumn<ListedLetter>;

const TIME_WIDTH = '2026-01-01T00:00:00.000Z'.length;

/** A line for each, at most `width` wide; Infinity: everything whole. `pipelines`: of which there are some. */
export function letterTable(
  pipelines: readonly string[],
  { dim, red, cyan }: Colors,
  width: number,
): Table<ListedLetter> {
  const named = said('pipeline', Math.max(8, ...pipelines.map((name) => name.length)), ({ pipeline }) => pipeline);
  const columns: Column[] = [
    said('place', 12, ({ letter }) => placeOf(letter)),
    ...(pipelines.length > 1 ? [named] : []),
    { ...said('written at', TIME_WIDTH, ({ letter }) => isoTime(letter.writtenAt)), spare: 1, paint: dim },
    { ...said('reason', 20, ({ letter }) => printable(letter.origin.reason)), paint: red },
    {
      ...said('key', 24, ({ letter: { key } }) => (key === null ? '(null key)' : printableKey(key))),
      least: 10,
    },
    said('       value', 12, ({ letter: { value } }) =>
      (value === null ? 'null value' : counted(value.length, 'byte')).padStart(12),
    ),
    { ...said('from', 36, ({ letter: { origin } }) => placeIn(origin)), least: 12, paint: dim },
    { ...said('replays', 16, ({ replays }) => (replays === 0 ? '' : replayedText(replays))), spare: 2, paint: cyan },
  ];
  return tableOf(columns, width);
}

function said(name: string, width: number, text: (of: ListedLetter) => string): Column {
  return { name, width, text };
}

function placeIn({ topic, partition, offset }: Letter['origin']): string {
  return `${printable(topic)}/${partition}/${offset}`;
}
