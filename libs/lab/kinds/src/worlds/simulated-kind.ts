// A world's view of the kind of its pipeline.
import type { Clock, Millis, Random } from '@flatline/base';
import type { LogRecord, ProducedRecord } from '@flatline/cluster';
import type { PipelineKind } from '@flatline/kinds';
import type { InputRecord, JudgedRules, RawRecord } from '@flatline/oracle';
import type { WhateverLived } from './whatever-lived.ts';

/** Content of one output record. */
export interface Word {
  /** The whole content as text: equal for two records of a key that say the same. */
  readonly id: string;
  /** The event, for counts. */
  readonly what: string;
  /** Instant of the event; 0 if the record does not state it. */
  readonly at: Millis;
  /** Offsets of the first and the last record that it sums up; undefined: not stated. */
  readonly sums: readonly [number, number] | undefined;
}

/** The rules and topics by which its logs are judged. */
export interface Judged {
  readonly rules: JudgedRules;
  /** Stands in for `rules` where dead letters are judged and a clock was overtaken (C3). */
  readonly whateverLived: WhateverLived;
  /** Topics beside the output, each judged as if it were the output (D1). */
  readonly targets: readonly { readonly topic: string; readonly rules: JudgedRules }[];
  /** True if the rules alone determine which record finds no room (I7). Otherwise its letter does, once committed. */
  readonly tellsRoom: boolean;
  input(record: RawRecord): InputRecord;
}

/** Programs with machines of their own that use the kind. */
export interface Actors {
  /** Called now and then while faults happen. */
  act(): void;
  /** Called when faults are over and everything is to end. */
  rest(): void;
  /** Violations that they have seen, each with its rule. */
  faults(): readonly string[];
}

export interface SimulatedKind {
  readonly judged: Judged;
  /** Opens the kind as a process runs it. */
  open(clock: Clock): PipelineKind;
  /** A record for this key. `draw`: below `ASKS`, drawn already. */
  record(key: string, random: Random, draw: number): ProducedRecord;
  /** True if the product fails on purpose at a record of this value (I6). */
  failsAt(value: string): boolean;
  /** Sent for each key once faults are over, if something would otherwise live for ever. */
  readonly atCalm: ProducedRecord | undefined;
  /** Programs beside the processors. */
  readonly actors: Actors | undefined;
  /** undefined: it is a tombstone. */
  word(record: LogRecord): Word | undefined;
}

/** Number of records in a hundred that ask something of a kind. */
export const ASKS = 91;
/** Thrown to make the product fail at a record. */
export const ON_PURPOSE = 'failed on purpose';

const utf8 = new TextDecoder();

export function textIn(bytes: Uint8Array | null): string {
  return bytes === null ? '' : utf8.decode(bytes);
}
