// Whether a topic keeps what is imported into it. Retention goes by the records' own stamps where the topic is CreateTime,
// and deletes a segment once its newest record is older: old records are gone minutes after they came. Pure.
import type { Millis } from '@flatline/base';
import type { TopicDescription } from '@flatline/kafka';
import type { FileSurvey } from './file-survey.ts';

export interface Deletion {
  readonly text: string;
  /** Settings of the topic that would have to be without a limit. */
  readonly settings: readonly ('retention.ms' | 'retention.bytes')[];
}

type Retention = Pick<TopicDescription, 'retentionMs' | 'retentionBytes'>;

/** undefined: everything stays. */
export function deletionOf(
  { times, partitionBytes }: Pick<FileSurvey, 'times' | 'partitionBytes'>,
  { retentionMs, retentionBytes }: Retention,
  now: Millis,
): Deletion | undefined {
  const isOld = times !== undefined && retentionMs >= 0 && times.earliest < now - retentionMs;
  const isLarge = retentionBytes >= 0 && partitionBytes > retentionBytes;
  if (!isOld && !isLarge) return undefined;
  const age = isOld
    ? [`its retention.ms is ${retentionMs}, and the file begins ${new Date(times.earliest).toISOString()}`]
    : [];
  const size = isLarge
    ? [`its retention.bytes is ${retentionBytes} a partition, and one gets about ${Math.ceil(partitionBytes)} bytes`]
    : [];
  return {
    text: [...age, ...size].join('; '),
    settings: [...(isOld ? (['retention.ms'] as const) : []), ...(isLarge ? (['retention.bytes'] as const) : [])],
  };
}
