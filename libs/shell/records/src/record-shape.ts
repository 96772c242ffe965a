// The fields of a record in one table that every format reads and writes by: names are contracts, so they stand once.
import { INSTANT_MAX, type Millis } from '@flatline/base';
import { BadInput, invalidField } from './bad-input.ts';

export interface FieldValues {
  text: string;
  /** A safe integer. */
  long: number;
  boolean: boolean;
  textMap: Map<string, string>;
  longMap: Map<string, number>;
  texts: readonly string[];
  /** In Avro alone, and only read. */
  bytes: Uint8Array;
  /** A value of any type, only read: named as what writers never have. */
  any: object;
  /** Only read: batches have writers of their own. */
  items: ReceivedItem[];
}

/** An item of a batch. Its value is what it holds as JSON, a string where it is other UTF-8 text, else a `Uint8Array`. */
export interface ReceivedItem {
  /** Where it lies in the input partition. */
  readonly offset: number;
  /** As its record is stamped, in milliseconds since the epoch. */
  readonly timestamp: Millis;
  readonly value: unknown;
  /** The value untouched; undefined of a batch in JSON, which has it only as `value`. */
  readonly bytes: Uint8Array | undefined;
}

/** The value as a writer takes it: maps are only read. */
export type WrittenValue<Value> =
  Value extends Map<infer Key, infer Item>
    ? ReadonlyMap<Key, Item>
    : Value extends readonly string[]
      ? Value
      : Value extends object
        ? never
        : Value;
export type FieldKind = keyof FieldValues;

interface FieldOfKind<K extends FieldKind, Source, Target> {
  readonly name: string;
  readonly kind: K;
  /** For texts: the same few come again and again, so keeping them pays. */
  readonly recurs?: boolean;
  /** A union of null and the type in Avro. A field that is not nullable is never undefined: an absent map is empty. */
  readonly nullable: boolean;
  /** False: a reader does without it, and its target keeps what it had. */
  readonly required: boolean;
  /**
   * Asked of JSON, where anyone may have called a field so before it was ours. False: it is another's, and ignored as such.
   * Default: it is ours.
   */
  readonly isOurs?: (members: Readonly<Record<string, unknown>>) => boolean;
  /** undefined is left out of JSON. */
  readonly get: (source: Source) => WrittenValue<FieldValues[K]> | undefined;
  /** The text as UTF-8, where it is at hand: a writer need not make a string of what it finds to be plain ASCII. */
  readonly bytes?: (source: Source) => Uint8Array;
  /** @throws BadInput for a value of the right type and beyond its limits. */
  readonly set: (target: Target, value: FieldValues[K]) => void;
}

export type RecordField<Source, Target> = { [K in FieldKind]: FieldOfKind<K, Source, Target> }[FieldKind];

/** In the order of the Avro schema. */
export type RecordShape<Source, Target> = readonly RecordField<Source, Target>[];

export function checkSafeInteger(name: string, value: number, least: number): number {
  if (!Number.isSafeInteger(value) || value < least) {
    throw invalidField(name, value, `an integer from ${least} to 2^53 - 1`);
  }
  return value + 0; // −0 becomes 0
}

/** Times before 1970 never count (C6), and what `Date` cannot hold is no time. */
export function checkInstant(name: string, value: number): Millis {
  if (!Number.isSafeInteger(value) || value < 0 || value > INSTANT_MAX) {
    throw invalidField(name, value, `an integer from 0 to ${INSTANT_MAX}, milliseconds`);
  }
  return value + 0; // −0 becomes 0
}

export function checkLength(name: string, value: string, most: number): string {
  if (value.length < 1 || value.length > most) throw invalidField(name, value, `1 to ${most} characters`);
  return value;
}

/**
 * A lone surrogate has no UTF-8: stored and read back, it would be another text, and a restored state another state (R1).
 * Only JSON's escapes, and strings made by a program, can hold one.
 */
export function checkWellFormed(name: string, value: string): string {
  if (!value.isWellFormed()) throw new BadInput('invalid-utf8', `${name} holds half of a surrogate pair`);
  return value;
}
