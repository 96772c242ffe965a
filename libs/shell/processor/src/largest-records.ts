// How long the records may become that a pipeline's limits allow, and whether its topics hold them.
import { Misconfigured } from '@flatline/base';
import { codecLimits } from '@flatline/records';
import type { PipelineConfig } from '@flatline/config';
import type { TopicDescription } from '@flatline/kafka';
import { imageBytes, largestEntry } from '@flatline/kinds';
import { TASK_BOUNDS } from '@flatline/runtime';
import { largestBlockBytes } from '@flatline/partition';
import { largestSummaryBytes } from './largest-summary.ts';

export interface LargestRecords {
  /** A batch of the changelog, and one of the output, with one record. */
  readonly changelogBytes: number;
  readonly outputBytes: number;
  /** The settings that they follow from, with their values. */
  readonly settings: string;
}

/** Three bytes each as UTF-8: no UTF-16 unit takes more. */
const WIDE = characters(0x800, 64);
/** Six each in JSON, three times as many as in UTF-8: `\u000e`. */
const CONTROL = characters(0x0e, 18);
/** Header of a batch, framing of a record, and the header that names the incarnation. */
const AROUND_BYTES = 1_024;
const LIMITS = { typeLength: codecLimits.TYPE_LENGTH_MAX, eventIdLength: codecLimits.EVENT_ID_LENGTH_MAX };

export function largestRecords({ rules, input, output }: PipelineConfig): LargestRecords {
  const { maxKeyBytes } = input;
  const { maxAttributes, maxAttributeBytes, dedupeEventIds } = rules;
  const wide = largestEntry(rules, LIMITS, WIDE);
  const escaped = largestEntry(rules, LIMITS, CONTROL);
  const key = new Uint8Array(maxKeyBytes).fill(CONTROL.charCodeAt(0));
  const summaries = [wide, escaped].map((entry) => largestSummaryBytes(output.format, entry, rules, key));
  return {
    changelogBytes: AROUND_BYTES + largestBlockBytes(imageBytes(wide), maxKeyBytes, TASK_BOUNDS.blockBytesMax),
    outputBytes: AROUND_BYTES + maxKeyBytes + Math.max(...summaries),
    settings: Object.entries({ maxKeyBytes, maxAttributes, maxAttributeBytes, dedupeEventIds })
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  };
}

/** @throws Fatal where a session could grow until its partition stops. */
export function checkLargestRecords(pipeline: PipelineConfig, topics: ReadonlyMap<string, TopicDescription>): void {
  const { changelogBytes, outputBytes, settings } = largestRecords(pipeline);
  const wanted = [
    { topic: pipeline.changelogTopic, bytes: changelogBytes, what: 'a block of the changelog' },
    { topic: pipeline.output.topic, bytes: outputBytes, what: 'a summary' },
  ];
  const wrong = wanted.flatMap(({ topic, bytes, what }) => {
    const most = topics.get(topic)?.maxMessageBytes ?? Infinity;
    return bytes > most
      ? [{ topic, bytes, found: `${what} may have ${bytes} bytes, max.message.bytes of ${topic} is ${most}` }]
      : [];
  });
  if (wrong.length === 0) return;
  throw new Misconfigured(
    `pipeline ${pipeline.name}: with ${settings} ${wrong.map(({ found }) => found).join('; ')}. Lower these settings, or raise ` +
      wrong.map(({ topic, bytes }) => `max.message.bytes of ${topic} to ${bytes}`).join(' and '),
  );
}

function characters(first: number, count: number): string {
  return String.fromCharCode(...Array.from({ length: count }, (_, i) => first + i));
}
