// How long the records may become that a pipeline's limits allow, by kind.
import { codecLimits, leaseEventBytes } from '@flatline/records';
import type { DebouncePipeline, LeasePipeline, SchedulePipeline, SessionPipeline } from '@flatline/config';
import { BATCH_BYTES_MAX, largestEntry, largestLeaseEvent } from '@flatline/kinds';
import { TASK_BOUNDS } from '@flatline/runtime';
import { largestBlockBytes } from '@flatline/partition';
import { largestSummaryBytes } from './largest-summary.ts';

export interface LargestRecords {
  /** A batch of the changelog, and one of the output, with one record. */
  readonly changelogBytes: number;
  readonly outputBytes: number;
  /** The settings that they follow from, with their values. */
  readonly settings: string;
  /** One record of the output, in words. */
  readonly outputs: string;
}

/** Three bytes each as UTF-8: no UTF-16 unit takes more. */
const WIDE = characters(0x800, 64);
/** Six each in JSON, three times as many as in UTF-8: `\u000e`. */
const CONTROL = characters(0x0e, 18);
/** Header of a batch, framing of a record, and its own headers. */
const AROUND_BYTES = 1_024;
/** Bytes of the headers that name a run, with an id of 256 characters and a version of the time-zone database. */
const SCHEDULE_HEADERS_BYTES = 1_536;
const LIMITS = { typeLength: codecLimits.TYPE_LENGTH_MAX, eventIdLength: codecLimits.EVENT_ID_LENGTH_MAX };

export function largestSessionRecords({ rules, input, output }: SessionPipeline): LargestRecords {
  const { maxKeyBytes } = input;
  const { maxAttributes, maxAttributeBytes, dedupeEventIds } = rules;
  const wide = largestEntry(rules, LIMITS, WIDE);
  const escaped = largestEntry(rules, LIMITS, CONTROL);
  const key = new Uint8Array(maxKeyBytes).fill(CONTROL.charCodeAt(0));
  const summaries = [wide, escaped].map((entry) => largestSummaryBytes(output.format, entry, rules, key));
  return {
    changelogBytes: AROUND_BYTES + largestBlockBytes(maxKeyBytes, TASK_BOUNDS.blockBytesMax),
    outputBytes: AROUND_BYTES + maxKeyBytes + Math.max(...summaries),
    settings: settingsOf({ maxKeyBytes, maxAttributes, maxAttributeBytes, dedupeEventIds }),
    outputs: 'a summary',
  };
}

export function largestLeaseRecords({ rules, input, output }: LeasePipeline): LargestRecords {
  const { maxKeyBytes } = input;
  const { maxAttributes, maxAttributeBytes } = rules;
  const key = new Uint8Array(maxKeyBytes).fill(CONTROL.charCodeAt(0));
  const events = [WIDE, CONTROL].map((text) => leaseEventBytes(output.format, largestLeaseEvent(rules, key, text)));
  return {
    changelogBytes: AROUND_BYTES + largestBlockBytes(maxKeyBytes, TASK_BOUNDS.blockBytesMax),
    outputBytes: AROUND_BYTES + maxKeyBytes + Math.max(...events),
    settings: settingsOf({ maxKeyBytes, maxAttributes, maxAttributeBytes }),
    outputs: 'an event',
  };
}

/** The kind itself bounds a batch by what a record of the output may be. */
export function largestDebounceRecords({ input }: DebouncePipeline): LargestRecords {
  const { maxKeyBytes } = input;
  return {
    changelogBytes: AROUND_BYTES + largestBlockBytes(maxKeyBytes, TASK_BOUNDS.blockBytesMax),
    outputBytes: AROUND_BYTES + maxKeyBytes + BATCH_BYTES_MAX,
    settings: settingsOf({ maxKeyBytes }),
    outputs: 'a batch',
  };
}

export function largestScheduleRecords({ rules, input }: SchedulePipeline): LargestRecords {
  const { maxKeyBytes } = input;
  const { maxMessageBytes } = rules;
  return {
    changelogBytes: AROUND_BYTES + largestBlockBytes(maxKeyBytes, TASK_BOUNDS.blockBytesMax),
    outputBytes: AROUND_BYTES + SCHEDULE_HEADERS_BYTES + maxKeyBytes + maxMessageBytes,
    settings: settingsOf({ maxKeyBytes, maxMessageBytes }),
    outputs: 'a message',
  };
}

function settingsOf(settings: Readonly<Record<string, number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function characters(first: number, count: number): string {
  return String.fromCharCode(...Array.from({ length: count }, (_, i) => first + i));
}
