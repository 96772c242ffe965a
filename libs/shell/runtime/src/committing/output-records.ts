// A cut as records on the output, dead-letter and changelog topics. One task writes only to the partition of its own
// number, so that its open transaction delays only the readers of that one (O5); but what its outputs bring about goes to the
// partition of its key (P3).
import type { TaskCut } from '@flatline/partition';
import {
  type OutgoingRecord,
  type OutgoingRecords,
  PackedWrite,
  recordCount,
  ROUTE_HEADER,
  type Transaction,
} from '@flatline/ports';
import { noteOf } from '../offset-note.ts';
import { deadLetterRecord } from './dead-letter-record.ts';
import type { PipelineSettings } from '../settings.ts';

const utf8 = new TextEncoder();

export function transactionOf(cut: TaskCut, partition: number, settings: PipelineSettings): Transaction {
  const { group, kind, tokenEpoch } = settings;
  const topics = [settings.inputTopic, ...(settings.furtherInputs ?? []).map(({ topic }) => topic)];
  const letters = cut.deadLetters.map((letter) => {
    const { input } = letter;
    return deadLetterRecord(letter, partition, input === undefined ? settings.outputTopic : topics[input]!);
  });
  const blocks = cut.blocks.map((block): OutgoingRecord => ({ key: null, value: block.bytes }));
  const all: readonly OutgoingRecords[] = [
    { topic: settings.changelogTopic, partition, records: blocks },
    ...outputsOf(cut, partition, settings),
    { topic: settings.deadLetterTopic, partition, records: letters },
  ];
  const writes = all.filter((write) => recordCount(write) > 0);
  const metadata = noteOf(cut.header, kind, tokenEpoch);
  const offsets = cut.header.inputs.map(({ position: offset }, input) => {
    return { group, topic: topics[input]!, partition, offset, metadata };
  });
  return { writes, offsets };
}

/** Each partition's in the order in which they were decided. Bytes, as they are, unless routes have made some of them. */
function outputsOf(cut: TaskCut, own: number, settings: PipelineSettings): readonly OutgoingRecords[] {
  const { packed, places } = cut.outputs;
  const { outputTopic } = settings;
  const partitions = places.map(({ to: { topic = outputTopic, partition = own } }) => ({ topic, partition }));
  const byName = Map.groupBy(places.keys(), (place) => `${partitions[place]!.topic}/${partitions[place]!.partition}`);
  const opened: OutgoingRecord[][] = [];
  const writes = [...byName.values()].map((numbers): OutgoingRecords => {
    const [place] = numbers as [number];
    const { to, count } = places[place]!;
    if (numbers.length === 1 && to.partition === undefined)
      return new PackedWrite(packed, { ...partitions[place]!, place, count });
    const records: OutgoingRecord[] = [];
    for (const number of numbers) opened[number] = records;
    return { ...partitions[place]!, records };
  });
  if (opened.length > 0) openInto(opened, cut.outputs, routeNames(cut, own, settings));
  return writes;
}

/** Makes objects of the records of some places: those that routes have made get a name that the cut alone knows, and so a header more. */
function openInto(
  opened: readonly (OutgoingRecord[] | undefined)[],
  { packed, places }: TaskCut['outputs'],
  named: (record: OutgoingRecord) => OutgoingRecord,
): void {
  for (const record of packed.among((each) => opened[each] !== undefined)) {
    const { place, key, value, headers = [] } = record;
    opened[place]!.push(places[place]!.to.partition === undefined ? { key, value, headers } : named(record));
  }
}

/** Names what an output has brought about: by its task, the commit, and its number in that. */
function routeNames(
  { header: { sequence } }: TaskCut,
  partition: number,
  { group }: PipelineSettings,
): (record: OutgoingRecord) => OutgoingRecord {
  let number = 0;
  return ({ key, value, headers = [] }) => {
    const name = utf8.encode(`${group}/${partition}/${sequence}/${number}`);
    number += 1;
    return { key, value, headers: [...headers, { name: ROUTE_HEADER, value: name }] };
  };
}
