// A cut as records on the output, dead-letter and changelog topics. One task writes only to the partition of its own
// number, so that its open transaction delays only the readers of that one (O5).
import type { TaskCut } from '@flatline/partition';
import type { OutgoingRecord, OutgoingRecords, Transaction } from '@flatline/ports';
import { noteOf } from '../offset-note.ts';
import { deadLetterRecord } from './dead-letter-record.ts';
import type { PipelineSettings } from '../settings.ts';

export function transactionOf(cut: TaskCut, partition: number, settings: PipelineSettings): Transaction {
  const { group, kind, tokenEpoch } = settings;
  const topics = [settings.inputTopic, ...(settings.furtherInputs ?? []).map(({ topic }) => topic)];
  const letters = cut.deadLetters.map((letter) => deadLetterRecord(letter, partition, topics[letter.input]!));
  const blocks = cut.blocks.map((block): OutgoingRecord => ({ key: null, value: block.bytes }));
  const writes = [
    { topic: settings.changelogTopic, partition, records: blocks },
    ...outputsOf(cut, partition, settings),
    { topic: settings.deadLetterTopic, partition, records: letters },
  ].filter(({ records }) => records.length > 0);
  const metadata = noteOf(cut.header, kind, tokenEpoch);
  const offsets = cut.header.inputs.map(({ position: offset }, input) => {
    return { group, topic: topics[input]!, partition, offset, metadata };
  });
  return { writes, offsets };
}

/** Each topic's in the order in which they were decided. */
function outputsOf({ outputs }: TaskCut, partition: number, { outputTopic }: PipelineSettings): OutgoingRecords[] {
  if (outputs.every(({ topic }) => topic === undefined)) return [{ topic: outputTopic, partition, records: outputs }];
  const byTopic = Map.groupBy(outputs, ({ topic = outputTopic }) => topic);
  return [...byTopic].map(([topic, records]) => ({ topic, partition, records }));
}
