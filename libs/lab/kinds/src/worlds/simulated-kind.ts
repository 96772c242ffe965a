// What a world knows of the kind that its pipeline keeps.
import type { Clock, Millis, Random } from '@flatline/base';
import type { LogRecord, ProducedRecord } from '@flatline/cluster';
import type { PipelineKind } from '@flatline/kinds';
import type { InputRecord, JudgedRules, RawRecord } from '@flatline/oracle';

/** What one record of the output says. */
export interface Word {
  /** All its text: two records of a key that say the same have the same. */
  readonly id: string;
  /** What has happened, for counts. */
  readonly what: string;
  /** As of when; 0 where it does not say. */
  readonly at: Millis;
  /** Offsets of the first and the last record that it sums up; undefined: it does not say. */
  readonly sums: readonly [number, number] | undefined;
}

/** By what its logs are judged. */
export interface Judged {
  readonly rules: JudgedRules;
  /** Topics beside the output, each judged as if it were that (D1). */
  readonly targets: readonly { readonly topic: string; readonly rules: JudgedRules }[];
  /** Whether the rules alone tell which record finds no room (I7). Otherwise its letter does, once it is committed. */
  readonly tellsRoom: boolean;
  input(record: RawRecord): InputRecord;
}

/** Whoever asks something of the kind with a machine of its own. */
export interface Actors {
  /** Called now and then while things go wrong. */
  act(): void;
  /** Nothing goes wrong any more, and everything is to end. */
  rest(): void;
  /** What they have seen that must not be, each with its rule. */
  faults(): readonly string[];
}

export interface SimulatedKind {
  readonly judged: Judged;
  /** As a process runs it. */
  open(clock: Clock): PipelineKind;
  /** Something for this key. `draw`: below `ASKS`, drawn already. */
  record(key: string, random: Random, draw: number): ProducedRecord;
  /** Whether the product fails on purpose at a record of this value (I6). */
  failsAt(value: string): boolean;
  /** Sent for each key once nothing goes wrong any more, where something would live on for ever otherwise. */
  readonly atCalm: ProducedRecord | undefined;
  /** Programs beside the processors. */
  readonly actors: Actors | undefined;
  /** undefined: it is a tombstone. */
  word(record: LogRecord): Word | undefined;
}

/** So many of a hundred records ask something of a kind. */
export const ASKS = 91;
/** Thrown where a record is to make the product fail. */
export const ON_PURPOSE = 'failed on purpose';

const utf8 = new TextDecoder();

export function textIn(bytes: Uint8Array | null): string {
  return bytes === null ? '' : utf8.decode(bytes);
}
