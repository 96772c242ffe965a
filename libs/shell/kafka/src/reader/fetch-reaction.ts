import { KafkaCode, kafkaErrorCode } from '../connection/kafka-error-codes.ts';

/** Reaction of a subscription to its partition's error code in a fetch answer. */
export type FetchReaction = 'doubtRange' | 'relocate' | 'stop' | 'fail';

const reactions = {
  retriable: 'relocate',
  stopped: 'stop',
  misconfigured: 'fail',
  fatal: 'fail',
  fenced: 'fail',
} as const;

export function fetchReaction(code: number): FetchReaction {
  if (code === KafkaCode.offsetOutOfRange) return 'doubtRange';
  // The leader found its own copy damaged: asking again reads the same disk.
  if (code === KafkaCode.corruptMessage) return 'stop';
  return reactions[kafkaErrorCode(code).consequence];
}
