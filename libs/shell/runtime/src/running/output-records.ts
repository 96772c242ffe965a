// A cut as records on the output, dead-letter and changelog topics. One task writes only to the partition of its own
// number, so that its open transaction holds back nobody else's readers (O5).
import { PartitionStopped } from '@flatline/base';
import type { SessionSummary, SummaryEncoder } from '@flatline/kinds';
import { messageOf, RecordFailed, type TaskCut } from '@flatline/partition';
import { INCARNATION_HEADER, type OutgoingRecord, type Transaction } from '@flatline/ports';
import { deadLetterRecord } from './dead-letter-record.ts';
import type { PipelineSettings } from '../instance/settings.ts';

/** What goes with each group offset: an independent witness of what was committed (R3). */
export interface OffsetNote {
  /** Of the input: found by a task of a partition that was added later. */
  readonly partitions: number;
  /** The commit that the offset is of. undefined: written before there was such a thing. */
  readonly sequence: number | undefined;
  readonly commitId: string | undefined;
}

function noteOf({ inputPartitions, sequence, commitId }: TaskCut['header']): string {
  return `partitions=${inputPartitions} commit=${sequence} ${commitId}`;
}

/** undefined where the metadata is not ours. */
export function committedIn(metadata: string): OffsetNote | undefined {
  const found = /^partitions=(\d{1,9})(?: commit=(\d{1,15}) (\S{1,100}))?$/.exec(metadata);
  if (found === null) return undefined;
  const [, partitions, sequence, commitId] = found;
  return { partitions: Number(partitions), sequence: sequence === undefined ? undefined : Number(sequence), commitId };
}

/** @throws RecordFailed, PartitionStopped where a summary cannot be encoded (I6) */
export function transactionOf(
  cut: TaskCut,
  partition: number,
  settings: PipelineSettings,
  encoder: SummaryEncoder,
): Transaction {
  const { group, inputTopic, tombstones } = settings;
  const outputs: OutgoingRecord[] = [];
  const form = { encoder, tombstones, where: `${settings.outputTopic}/${partition}` };
  for (const summary of cut.closed) addClosed(summary, form, outputs);
  const letters = cut.deadLetters.map((letter) => deadLetterRecord(letter, partition, settings.inputTopic));
  const blocks = cut.blocks.map((block): OutgoingRecord => ({ key: null, value: block.bytes }));
  const writes = [
    { topic: settings.changelogTopic, partition, records: blocks },
    { topic: settings.outputTopic, partition, records: outputs },
    { topic: settings.deadLetterTopic, partition, records: letters },
  ].filter(({ records }) => records.length > 0);
  const metadata = noteOf(cut.header);
  return { writes, offsets: [{ group, topic: inputTopic, partition, offset: cut.position, metadata }] };
}

interface ClosedForm {
  readonly encoder: SummaryEncoder;
  readonly tombstones: boolean;
  /** Topic and partition. */
  readonly where: string;
}

/** The summary, then the tombstone: with no revision window both are final at once (O2). */
function addClosed(summary: SessionSummary, form: ClosedForm, outputs: OutgoingRecord[]): void {
  const { key, incarnation } = summary;
  const headers = [{ name: INCARNATION_HEADER, value: asciiBytes(incarnation) }];
  outputs.push({ key, value: encoded(summary, form), headers });
  if (form.tombstones) outputs.push({ key, value: null, headers });
}

/**
 * An explicit end is the one record that brings its close about, and may be refused for it; it lies in this very cut. Of a
 * session that fell silent no record is to blame, and S4 leaves no choice: it closes with its summary, or not.
 */
function encoded(summary: SessionSummary, { encoder, where }: ClosedForm): Uint8Array {
  try {
    return encoder.encode(summary);
  } catch (error) {
    const { incarnation, reason, firstOffset, lastOffset } = summary;
    const what = `the summary of ${incarnation} (${reason}, offsets ${firstOffset} to ${lastOffset}) for ${where} cannot be encoded`;
    const failure = new Error(`${what}: ${messageOf(error)}`, { cause: error });
    if (reason === 'ENDED') throw new RecordFailed(lastOffset, failure);
    throw new PartitionStopped(
      `${failure.message}. This is a defect of this program; nothing is lost. Report it with this message`,
      failure,
    );
  }
}

/** An incarnation is digits and a dash: a call into the engine's encoder takes several times as long. */
function asciiBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}
