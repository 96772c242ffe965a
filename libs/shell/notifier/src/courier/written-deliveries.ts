// Decisions on deliveries, as the records of a transaction.
import type { Millis } from '@flatline/base';
import type { NotifiedPipeline } from '@flatline/config';
import type { Write } from '@flatline/deliveries';
import type { OutgoingRecord, OutgoingRecords } from '@flatline/ports';
import {
  breakerRecord,
  droppedRecord,
  keptRecord,
  keyOf,
  ownRecord,
  undeliverableRecord,
  wakingRecord,
} from '../records/delivery-record.ts';

export interface WritingPlace {
  readonly notified: NotifiedPipeline;
  readonly partition: number;
  readonly now: Millis;
}

/** In the order given, by topic. */
export function writesOf(
  decided: readonly Write[],
  { notified, partition, now }: WritingPlace,
): readonly OutgoingRecords[] {
  const own = (record: OutgoingRecord): OutgoingRecord => ownRecord(record, notified.application);
  const kept = decided.flatMap((write) => deliveryRecords(write, now)).map(own);
  const givenUp = decided.flatMap((write) =>
    write.kind === 'giveUp' ? [own(undeliverableRecord(write.delivery, write.why))] : [],
  );
  return [
    { topic: notified.deliveries.input.topic, partition, records: kept },
    { topic: notified.undeliverableTopic, partition, records: givenUp },
  ].filter(({ records }) => records.length > 0);
}

function deliveryRecords(write: Write, now: Millis): readonly OutgoingRecord[] {
  switch (write.kind) {
    case 'keep':
      return [keptRecord(write.delivery, write.phase, write.dueAt - now)];
    case 'drop':
      return [droppedRecord(keyOf(write.name))];
    case 'giveUp':
      return [droppedRecord(keyOf(write.delivery))];
    case 'wake':
      return [wakingRecord(write.name)];
    case 'breaker':
      return [breakerRecord(write.endpoint, write.breaker)];
  }
}
