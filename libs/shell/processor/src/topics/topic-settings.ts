import type { TopicDescription } from '@flatline/kafka';

/** Long.MAX_VALUE: no limit of `message.timestamp.before.max.ms` and `after`, for which −1 is no value. */
export const STAMP_UNLIMITED = '9223372036854775807';

/** The settings that are looked at, as Kafka names and writes them. */
export function topicSettings(found: TopicDescription): ReadonlyMap<string, string> {
  return new Map([
    ['cleanup.policy', found.cleanupPolicy.join(',')],
    ['message.timestamp.type', found.timestampType],
    ['message.timestamp.before.max.ms', limitText(found.timestampBeforeMaxMs)],
    ['message.timestamp.after.max.ms', limitText(found.timestampAfterMaxMs)],
    ['max.message.bytes', String(found.maxMessageBytes)],
    ['segment.bytes', String(found.segmentBytes)],
    ['retention.ms', String(found.retentionMs)],
    ['retention.bytes', String(found.retentionBytes)],
  ]);
}

/** Numbers beyond 2^53 are Kafka's Long.MAX_VALUE, which a double does not hold. */
function limitText(limitMs: number): string {
  return limitMs > Number.MAX_SAFE_INTEGER ? STAMP_UNLIMITED : String(limitMs);
}
