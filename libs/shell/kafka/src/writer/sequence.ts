// Sequence numbers of an idempotent producer: per partition and epoch, from 0, 31 bits, wrapping to 0.

const SEQUENCE_LIMIT = 2 ** 31;

/** As DefaultRecordBatch.incrementSequence of the broker; kafkajs lets it run negative (kafkajs 19). */
export function sequenceAfter(sequence: number, recordCount: number): number {
  return (sequence + recordCount) % SEQUENCE_LIMIT;
}
