// A cut as records on the output, dead-letter and changelog topics. One task writes only to the partition of its own
// number, so that its open transaction delays only the readers of that one (O5); but what its outputs bring about goes to the
// partition of its key (P3).
import type { KindOutput } from '@flatline/kinds';
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

/** Each topic's in the order in which they were decided. */
function outputsOf(cut: TaskCut, own: number, settings: PipelineSettings): readonly OutgoingRecords[] {
  const { packed, places } = cut.outputs;
  const { outputTopic } = settings;
  // Routed records get a name that the cut alone knows, and so a header more.
  if (places.some(({ to }) => to.partition !== undefined || to.topic === outputTopic))
    return routedOf(cut, own, settings);
  return places.map(
    ({ to: { topic = outputTopic }, count }, place) => new PackedWrite(packed, { topic, partition: own, place, count }),
  );
}

function routedOf(cut: TaskCut, own: number, settings: PipelineSettings): readonly OutgoingRecords[] {
  const { outputs } = cut;
  const { outputTopic } = settings;
  const named = routeNames(cut, own, settings);
  const byPlace = new Map<string, OutgoingRecords & { readonly records: OutgoingRecord[] }>();
  for (const output of outputs) {
    const { topic = outputTopic, partition = own } = output;
    const place = `${topic}/${partition}`;
    const found = byPlace.get(place) ?? { topic, partition, records: [] };
    byPlace.set(place, found);
    found.records.push(output.partition === undefined ? output : named(output));
  }
  return [...byPlace.values()];
}

/** Names what an output has brought about: by its task, the commit, and its number in that. */
function routeNames(
  { header: { sequence } }: TaskCut,
  partition: number,
  { group }: PipelineSettings,
): (record: KindOutput) => OutgoingRecord {
  let number = 0;
  return ({ key, value, headers = [] }) => {
    const name = utf8.encode(`${group}/${partition}/${sequence}/${number}`);
    number += 1;
    return { key, value, headers: [...headers, { name: ROUTE_HEADER, value: name }] };
  };
}
