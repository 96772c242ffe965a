// Values of a declared type out of their bytes, as another type that they evolve to (Avro 1.12, "Schema Resolution"): which fields
// meet which is worked out once, before any state is read.
//
// Objects that stand for maps have no prototype, so that no key means anything (I3); all that is read is made for the caller,
// who may change it.
import { ByteReader, MalformedBytes } from '@flatline/base';
import { type DeclaredType, formOf, type PlainName, type RecordField, type RecordType } from './declared-type.ts';
import { encoded, NotOfType } from './encoding.ts';

export type ReadValue = (input: ByteReader) => unknown;

/** States of one type cannot be read as another. */
export class CannotEvolve extends Error {
  override readonly name = 'CannotEvolve';
  /** The field, by its path; empty: the state as a whole. */
  readonly field: string;

  constructor(at: string, why: string) {
    super(why);
    this.field = at.replace(/^\./, '');
  }
}

/** Reads what was written as `writer` as a value of `reader`. @throws CannotEvolve */
export function readingAs(writer: DeclaredType, reader: DeclaredType, at = ''): ReadValue {
  if (writer.kind === 'union') {
    const branches = writer.branches.map((branch) => readingAs(branch, reader, at));
    return (input) => branches[indexIn(input, branches.length)]!(input);
  }
  if (reader.kind === 'union') {
    const met = reader.branches.find((branch) => formOf(branch) === formOf(writer));
    if (met === undefined) throw mismatch(writer, reader, at);
    return readingAs(writer, met, at);
  }
  if (writer.kind === 'record' && reader.kind === 'record') return readingRecord(writer, reader, at);
  if ((writer.kind === 'array' || writer.kind === 'map') && reader.kind === writer.kind) {
    const item = readingAs(writer.items, reader.items, `${at}${writer.kind === 'array' ? '[]' : '{}'}`);
    return writer.kind === 'array' ? arrayOf(item) : mapOf(item);
  }
  if (writer.kind === 'enum' && reader.kind === 'enum') return readingEnum(writer, reader, at);
  if (!isPromoted(writer.kind, reader.kind)) throw mismatch(writer, reader, at);
  return READ[writer.kind as PlainName];
}

function readingRecord(writer: RecordType, reader: RecordType, at: string): ReadValue {
  if (writer.name !== reader.name) throw new CannotEvolve(at, `it was a ${writer.name} and is now a ${reader.name}`);
  const steps = writer.fields.map(({ name, type }): readonly [name: string | undefined, read: ReadValue] => {
    const field = reader.fields.find((each) => each.name === name);
    // Reads fields that the reader does not have, and lets them go.
    return field === undefined
      ? [undefined, readingAs(type, type)]
      : [name, readingAs(type, field.type, `${at}.${name}`)];
  });
  const added = reader.fields.filter(({ name }) => !writer.fields.some((field) => field.name === name));
  const defaults = added.map((field) => [field.name, defaultOf(field, at)] as const);
  const names = reader.fields.map(({ name }) => name);
  return (input) => {
    const record: Record<string, unknown> = {};
    // In the order of the reader, whatever the writer's was.
    for (const name of names) own(record, name, undefined);
    for (const [name, read] of steps) {
      const value = read(input);
      if (name !== undefined) own(record, name, value);
    }
    for (const [name, make] of defaults) own(record, name, make());
    return record;
  };
}

/** A field called `__proto__` is a field. */
function own(record: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
}

function defaultOf({ name, type, byDefault }: RecordField, at: string): () => unknown {
  const here = `${at}.${name}`;
  if (byDefault === undefined)
    throw new CannotEvolve(here, 'it is new and has no default: give it one, for states that were kept without it');
  // As Avro has it, a default is of the first branch.
  const of = type.kind === 'union' ? type.branches[0]! : type;
  try {
    const bytes = encoded(of, byDefault);
    const read = readingAs(of, of);
    return () => read(new ByteReader(bytes));
  } catch (error) {
    if (!(error instanceof NotOfType)) throw error;
    throw new CannotEvolve(here, `its default is no value of its type: ${error.message}`);
  }
}

function readingEnum(
  writer: DeclaredType & { readonly kind: 'enum' },
  reader: DeclaredType & { readonly kind: 'enum' },
  at: string,
): ReadValue {
  const { symbols } = writer;
  const lost = symbols.find((symbol) => !reader.symbols.includes(symbol));
  if (writer.name !== reader.name || lost !== undefined)
    throw new CannotEvolve(
      at,
      lost === undefined ? mismatch(writer, reader, at).message : `${lost} is none of its symbols now`,
    );
  return (input) => symbols[indexIn(input, symbols.length)]!;
}

function isPromoted(writer: DeclaredType['kind'], reader: DeclaredType['kind']): boolean {
  if (writer === reader) return true;
  return (writer === 'int' && (reader === 'long' || reader === 'double')) || (writer === 'long' && reader === 'double');
}

function mismatch(writer: DeclaredType, reader: DeclaredType, at: string): CannotEvolve {
  return new CannotEvolve(at, `it was ${wordFor(writer)} and is now ${wordFor(reader)}, which cannot be read from it`);
}

function wordFor(type: DeclaredType): string {
  if (type.kind === 'record' || type.kind === 'enum') return `${type.kind} ${type.name}`;
  return type.kind === 'union' ? `[${type.branches.map(wordFor).join(', ')}]` : type.kind;
}

const READ: Readonly<Record<PlainName, ReadValue>> = {
  null: () => null,
  boolean: (input) => {
    const byte = input.u8();
    if (byte > 1) throw new MalformedBytes(`a boolean of ${byte}`);
    return byte === 1;
  },
  int: readLong,
  long: readLong,
  double: (input) => input.f64(),
  bytes: (input) => input.raw(lengthIn(input)).slice(),
  string: textIn,
};

const textDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function arrayOf(item: ReadValue): ReadValue {
  return (input) => {
    const array: unknown[] = [];
    for (let left = lengthIn(input); left > 0; left -= 1) {
      array.push(item(input));
      if (left === 1) endOf(input);
    }
    return array;
  };
}

function mapOf(item: ReadValue): ReadValue {
  return (input) => {
    const map = Object.create(null) as Record<string, unknown>;
    for (let left = lengthIn(input); left > 0; left -= 1) {
      const name = textIn(input);
      map[name] = item(input);
      if (left === 1) endOf(input);
    }
    return map;
  };
}

/** One block is all there is. */
function endOf(input: ByteReader): void {
  if (input.u8() !== 0) throw new MalformedBytes('a list in more than one block');
}

function textIn(input: ByteReader): string {
  const bytes = input.raw(lengthIn(input));
  try {
    return textDecoder.decode(bytes);
  } catch {
    throw new MalformedBytes('a text that is no UTF-8');
  }
}

function indexIn(input: ByteReader, count: number): number {
  const index = readLong(input);
  if (index < 0 || index >= count) throw new MalformedBytes(`number ${index} of ${count}`);
  return index;
}

/** Announced elements take a byte each at least, but for nulls, which are bounded likewise. */
function lengthIn(input: ByteReader): number {
  const length = readLong(input);
  if (length < 0 || length > input.remaining) throw new MalformedBytes(`${length} of ${input.remaining} bytes`);
  return length;
}

const LONG_BYTES_MAX = 10;

function readLong(input: ByteReader): number {
  let [value, scale] = [0, 1];
  for (let count = 0; count < LONG_BYTES_MAX; count += 1) {
    const byte = input.u8();
    if (count < 6) value += (byte & 0x7f) * scale;
    else return longRest(input, value, byte, count);
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    scale *= 0x80;
  }
  throw new MalformedBytes('a number of more than ten bytes');
}

/** From the seventh byte on, where a double would round. */
function longRest(input: ByteReader, low: number, first: number, count: number): number {
  let big = BigInt(low);
  let byte = first;
  for (let i = count; ; i += 1) {
    if (i >= LONG_BYTES_MAX) throw new MalformedBytes('a number of more than ten bytes');
    big += BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) break;
    byte = input.u8();
  }
  const value = Number(big % 2n === 0n ? big / 2n : -(big + 1n) / 2n);
  if (!Number.isSafeInteger(value)) throw new MalformedBytes('a number beyond 2^53 - 1');
  return value;
}
