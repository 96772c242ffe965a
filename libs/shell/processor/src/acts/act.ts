// An act of an operator (Q4), as it is asked for and as records of the input.
import { partitionOf } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import type { ActName } from '@flatline/kind-modules/words';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import type { OutgoingRecord, RecordHeader } from '@flatline/ports';
import { COMMAND_HEADER, SCHEDULE_ID_HEADER } from '@flatline/ports/formats';

/** Plain data: a supervisor sends it to a worker. */
export interface AskedAct {
  readonly pipeline: string;
  readonly act: string;
  /** undefined: it is about all entries that have an attribute. */
  readonly key: Uint8Array | undefined;
  /** One schedule of the key; default: all of them. */
  readonly scheduleId?: string | undefined;
  /** The attribute and value of an eviction. */
  readonly evicts?: { readonly attribute: string; readonly equals: string } | undefined;
  /** Address of whoever asked, for the log. */
  readonly from: string;
  /** Name of the caller, as the guard knows him. */
  readonly who: string;
}

/** Where a record of an act went. */
export interface SentRecord {
  readonly partition: number;
  /** Less than 0: it is in the log, but the broker does not say where. */
  readonly offset: number;
}

/** Told of an act that was not acknowledged. */
export const UNSURE =
  'it may be in the log: look before you ask again, since a second act also ends what has begun since';

export type ActOutcome =
  | { readonly kind: 'sent'; readonly topic: string; readonly records: readonly SentRecord[] }
  /** Nothing was sent. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Nothing was sent, and the same may be asked again. */
  | { readonly kind: 'busy'; readonly why: string }
  /** Some of it may be in the log. Asked again, it is another act, which also ends what has begun since. */
  | { readonly kind: 'unsure'; readonly why: string };

/** A record in its partition. */
export type ActRecord = OutgoingRecord & { readonly partition: number };

/** Names an entry of each pipeline can be told; undefined: no such act is of its kind. */
function actOf({ kind }: PipelineConfig, act: string): ActName | undefined {
  return KIND_WORDS[kind].acts.find((each) => each === act);
}

/** The records that it is; in words why it is none. */
export function recordsOf(
  pipeline: PipelineConfig,
  asked: AskedAct,
  partitions: number,
): readonly ActRecord[] | string {
  const { name, kind, input, inputs = [input] } = pipeline;
  const act = actOf(pipeline, asked.act);
  if (act === undefined)
    return `${asked.act} is no act on ${KIND_WORDS[kind].noun}s: ${KIND_WORDS[kind].acts.join(', ')}`;
  const headers: RecordHeader[] = [headerOf(COMMAND_HEADER, act.toUpperCase())];
  if (act === 'evict') {
    if (asked.evicts === undefined) return 'an eviction is of all that have an attribute, and names no key';
    // Offsets of several inputs do not tell what was there before the act.
    if (inputs.length > 1)
      return `pipeline ${name} has several inputs: its sessions cannot be evicted, but ended one by one`;
    const value = Buffer.from(JSON.stringify(asked.evicts));
    return Array.from({ length: partitions }, (_, partition) => ({ key: null, value, headers, partition }));
  }
  const { key, scheduleId } = asked;
  if (key === undefined) return `${act} is an act on one key`;
  if (input.partitioner === 'any')
    return 'input.partitioner is "any": a key may lie in any partition, which only the command can be told (--partition)';
  if (key.length > input.maxKeyBytes) return `the key has ${key.length} bytes; maxKeyBytes is ${input.maxKeyBytes}`;
  if (scheduleId !== undefined) headers.push(headerOf(SCHEDULE_ID_HEADER, scheduleId));
  return [{ key: Buffer.from(key), value: null, headers, partition: partitionOf(key, partitions) }];
}

function headerOf(name: string, text: string): RecordHeader {
  return { name, value: Buffer.from(text) };
}
