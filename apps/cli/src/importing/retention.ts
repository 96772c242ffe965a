// Checks that a topic takes and keeps imported records. On a CreateTime topic retention follows the records' own stamps and
// deletes a segment once its newest record is older: old records are gone minutes after they came. Pure.
import { counted, type DurationMs, type Millis } from '@flatline/base';
import type { TopicDescription } from '@flatline/kafka';
import { STAMP_UNLIMITED } from '@flatline/processor';
import { type FileSurvey, MAX_FUTURE_MS } from './file-survey.ts';

export interface Hindrance {
  /** Worst consequence of the topic's settings. */
  readonly would: Consequence;
  readonly text: string;
  /** Settings that the topic would need. */
  readonly settings: readonly (readonly [name: string, value: string])[];
}

type Consequence = 'refuse what is imported' | 'delete what is imported' | 'delete older records for what is imported';

type Limits = Pick<
  TopicDescription,
  'maxMessageBytes' | 'retentionMs' | 'retentionBytes' | 'timestampBeforeMaxMs' | 'timestampAfterMaxMs'
> & {
  /** Present size of the topic's largest partition. */
  readonly logBytes: number;
};

/** Writing and reading an import takes time: records that are about to be too old are refused now. */
const MARGIN_MAX_MS: DurationMs = 86_400_000;
const MARGIN_SHARE = 10;

/** undefined: everything is taken, and stays. */
export function hindranceOf(
  { times, partitionBytes, largest }: Pick<FileSurvey, 'times' | 'partitionBytes' | 'largest'>,
  limits: Limits,
  now: Millis,
): Hindrance | undefined {
  const found = [
    ...byRecord(largest, limits),
    ...(times === undefined ? [] : byStamps(times, limits, now)),
    ...bySize(partitionBytes, limits),
  ];
  if (found.length === 0) return undefined;
  return {
    would: found[0]!.would,
    text: found.map(({ text }) => text).join('; '),
    settings: found.map(({ setting }) => setting),
  };
}

interface Finding {
  readonly would: Consequence;
  readonly text: string;
  readonly setting: readonly [name: string, value: string];
}

function byRecord(largest: FileSurvey['largest'], { maxMessageBytes }: Limits): Finding[] {
  if (largest === undefined || largest.batchBytes <= maxMessageBytes) return [];
  const { line, batchBytes } = largest;
  return [
    {
      would: 'refuse what is imported',
      setting: ['max.message.bytes', String(batchBytes)],
      text: `its max.message.bytes is ${maxMessageBytes}, and line ${line} makes a record of ${batchBytes} bytes`,
    },
  ];
}

function byStamps(
  { earliest, latest }: NonNullable<FileSurvey['times']>,
  { retentionMs, timestampBeforeMaxMs, timestampAfterMaxMs }: Limits,
  now: Millis,
): Finding[] {
  const found: Finding[] = [];
  const add = (would: Consequence, name: string, limit: number, value: string, time: string): void => {
    found.push({ would, setting: [name, value], text: `its ${name} is ${limit}, and the file ${time}` });
  };
  const begins = `begins ${new Date(earliest).toISOString()}`;
  if (isTooOld(earliest, timestampBeforeMaxMs, now))
    add('refuse what is imported', 'message.timestamp.before.max.ms', timestampBeforeMaxMs, STAMP_UNLIMITED, begins);
  if (latest > now + timestampAfterMaxMs) {
    const ends = `ends ${new Date(latest).toISOString()}`;
    add('refuse what is imported', 'message.timestamp.after.max.ms', timestampAfterMaxMs, String(MAX_FUTURE_MS), ends);
  }
  if (retentionMs >= 0 && isTooOld(earliest, retentionMs, now))
    add('delete what is imported', 'retention.ms', retentionMs, '-1', begins);
  return found;
}

/** Oldest segments go first, and what is left is never less than the limit. */
function bySize(partitionBytes: number, { retentionBytes, logBytes }: Limits): Finding[] {
  const isOver = retentionBytes >= 0 && logBytes + partitionBytes > retentionBytes;
  if (!isOver) return [];
  const held = logBytes === 0 ? '' : `, one holds ${counted(logBytes, 'byte')}`;
  return [
    {
      would: partitionBytes > retentionBytes ? 'delete what is imported' : 'delete older records for what is imported',
      setting: ['retention.bytes', '-1'],
      text: `its retention.bytes is ${retentionBytes} a partition${held}, and one gets about ${counted(Math.ceil(partitionBytes), 'byte')}`,
    },
  ];
}

function isTooOld(earliest: Millis, limitMs: DurationMs, now: Millis): boolean {
  return earliest < now - limitMs + Math.min(MARGIN_MAX_MS, limitMs / MARGIN_SHARE);
}
