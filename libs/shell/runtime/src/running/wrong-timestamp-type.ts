import type { StepOutcome } from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';
import type { PipelineSettings } from '../settings.ts';

type TimestampType = PipelineSettings['input']['timestampType'];

/** Why a partition stops, and how to go on without losing anything: it has stopped exactly where its log has changed (C6). */
export function wrongTimestampType(
  { topic, partition }: TopicPartition,
  wanted: TimestampType,
  { offset, hasBegun }: Extract<StepOutcome, { kind: 'wrongTimestampType' }>,
): string {
  const found: TimestampType = wanted === 'LogAppendTime' ? 'CreateTime' : 'LogAppendTime';
  const at = `${topic}/${partition} offset ${offset} is of timestamp type ${found}, input.timestampType is "${wanted}"`;
  if (!hasBegun)
    return (
      `${at}. It came after this start. Set input.timestampType to "${found}" and restart. Or, if no other application ` +
      `reads the topic (it may stop at the change): set message.timestamp.type of the topic to ${wanted} and restart; what is ` +
      'of the other type until then is read over'
    );
  return (
    `${at}, and so were the records before, which are all committed. To go on from here set input.timestampType to ` +
    `"${found}" and restart, once every partition has stopped at this change. If the topic was altered by mistake, set its ` +
    `message.timestamp.type back first, and the configuration where the partitions stop again`
  );
}
