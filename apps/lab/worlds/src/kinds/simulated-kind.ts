// What a world knows of the kind that its pipeline keeps, where that is not sessions.
import type { Clock, Millis, Random } from '@flatline/base';
import type { LogRecord, ProducedRecord } from '@flatline/cluster';
import type { PipelineKind } from '@flatline/kinds';
import type { RawRecord } from '@flatline/oracle';

/** What one record of the output says. */
export interface Word {
  /** The same for the same record. */
  readonly text: string;
  /** What has happened, for counts. */
  readonly what: string;
  /** As of when; 0 where it does not say. */
  readonly at: Millis;
}

/** What must come out of one partition of the input, by the oracle's second reading of the rules. */
export interface ExpectedWords {
  /** By key, in order: `Word.text` of each record of the output. */
  readonly said: ReadonlyMap<string, readonly string[]>;
  /** Offsets of the records that belong to the dead letters. */
  readonly refused: readonly number[];
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
  /** As a process runs it. */
  open(clock: Clock): PipelineKind;
  /** Something for this key. */
  record(key: string, random: Random): ProducedRecord;
  /** Sent for each key once nothing goes wrong any more, where something would live on for ever otherwise. */
  readonly atCalm?: ProducedRecord;
  /** Programs beside the processors. */
  readonly actors?: Actors | undefined;
  /** `records`: committed, in offset order. */
  expect(records: readonly RawRecord[], partition: number): ExpectedWords;
  word(record: LogRecord): Word;
  /** What must never be among the records of one key, in order, whatever its input says: each with the rule. */
  faultsAmong(records: readonly LogRecord[]): readonly string[];
}

const utf8 = new TextDecoder();

export function textIn(bytes: Uint8Array | null): string {
  return bytes === null ? '' : utf8.decode(bytes);
}

/** The same text for the same value, in whatever order its fields are. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
