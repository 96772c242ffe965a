// Records as JSON objects, by the table of their fields.
//
// Reading is strict about types and says which field is wrong; fields not in the table are ignored, and null stands for
// a field that is left out, as it does in Avro. JSON.parse makes own properties even of `__proto__`, and maps are read
// into Maps, so that no name means anything here (I3). It does not recurse, so depth is bounded by the value's size.
import { itemInJson } from '../received-item.ts';
import { asBuffer, decodeUtf8 } from '../text-reader.ts';
import { BadInput, excerpt, invalidField, invalidReason } from '../bad-input.ts';
import {
  checkWellFormed,
  type FieldKind,
  type FieldValues,
  type RecordField,
  type RecordShape,
  type WrittenValue,
} from '../record-shape.ts';
import { JsonWriter } from './json-writer.ts';

const WANTED: Readonly<Record<FieldKind, string>> = {
  text: 'a string',
  long: 'an integer',
  boolean: 'true or false',
  textMap: 'an object of strings',
  longMap: 'an object of integers',
  texts: 'an array of strings',
  bytes: 'bytes, which JSON has not',
  items: 'an array of items',
  any: 'anything',
};

/**
 * Reads the JSON object in `bytes` into `target`; what is left out stays as it was.
 * @throws BadInput, after which `target` may be half filled.
 */
export function readJsonRecord<Target>(
  shape: RecordShape<never, Target>,
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Target,
): void {
  const members = parseObject(decodeUtf8(asBuffer(bytes), start, end));
  readMembers(shape, members, target, ({ isOurs }) => isOurs?.(members) ?? true);
}

/**
 * Reads the members of an object into `target`, trusting none of their types. `isOurs`: whether the member of a field's name is
 * meant as it. @throws BadInput.
 */
export function readMembers<Target>(
  shape: RecordShape<never, Target>,
  members: Readonly<Record<string, unknown>>,
  target: Target,
  isOurs: (field: RecordField<never, Target>) => boolean = () => true,
): void {
  for (const field of shape) {
    const value = members[field.name];
    if (value !== undefined && value !== null && isOurs(field)) readField(field, value, target);
    else if (field.required) throw new BadInput('missing-field', `${field.name} is missing`);
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // V8's message quotes the text, of which a bounded piece is enough.
    const what = error instanceof SyntaxError ? error.message : 'cannot be parsed';
    throw new BadInput('invalid-json', `not JSON: ${excerpt(what)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadInput('invalid-json', `the JSON value is ${excerpt(value)}, wanted an object`);
  }
  return value as Readonly<Record<string, unknown>>;
}

function readField<Target>(field: RecordField<never, Target>, value: unknown, target: Target): void {
  const { name, kind } = field;
  switch (kind) {
    case 'text':
      if (typeof value !== 'string') break;
      field.set(target, checkWellFormed(name, value));
      return;
    case 'long':
      if (typeof value !== 'number') break;
      field.set(target, value);
      return;
    case 'boolean':
      if (typeof value !== 'boolean') break;
      field.set(target, value);
      return;
    case 'textMap':
      if (!isObject(value)) break;
      field.set(target, readMap(name, value, 'a string', isText));
      return;
    case 'longMap':
      if (!isObject(value)) break;
      field.set(target, readMap(name, value, 'an integer', isSafeInteger));
      return;
    case 'texts':
      if (!Array.isArray(value) || !value.every(isText)) break;
      field.set(
        target,
        value.map((each) => checkWellFormed(name, each)),
      );
      return;
    case 'bytes':
      break;
    case 'any':
      field.set(target, value as object);
      return;
    case 'items':
      if (!Array.isArray(value)) break;
      field.set(target, value.map(itemInJson));
      return;
  }
  throw invalidField(name, value, WANTED[kind]);
}

function readMap<Value>(
  name: string,
  members: Readonly<Record<string, unknown>>,
  wanted: string,
  accepts: (value: unknown) => value is Value,
): Map<string, Value> {
  const map = new Map<string, Value>();
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (!accepts(value)) {
      throw new BadInput(invalidReason(name), `${name}[${excerpt(key)}] is ${excerpt(value)}, wanted ${wanted}`);
    }
    if (typeof value === 'string') checkWellFormed(name, value);
    map.set(checkWellFormed(name, key), value);
  }
  return map;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function isText(value: unknown): value is string {
  return typeof value === 'string';
}
function isSafeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

const COMMA = 0x2c;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const COLON = 0x3a;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;

/** Writes one record after another of the same shape. Fields come in the table's order, without white space. */
export class JsonRecordWriter<Source> {
  readonly #fields: readonly { readonly prefix: Uint8Array; readonly field: RecordField<Source, never> }[];
  readonly #writer = new JsonWriter();

  constructor(shape: RecordShape<Source, never>) {
    this.#fields = shape.map((field) => ({ prefix: Buffer.from(`${JSON.stringify(field.name)}:`), field }));
  }

  encode(source: Source): Uint8Array {
    const writer = this.#writer;
    writer.clear();
    writer.byte(BRACE_OPEN);
    let isFirst = true;
    for (const { prefix, field } of this.#fields) {
      const bytes = field.kind === 'text' ? field.bytes?.(source) : undefined;
      const value = bytes ?? field.get(source);
      if (value === undefined) continue;
      if (!isFirst) writer.byte(COMMA);
      isFirst = false;
      writer.raw(prefix);
      if (bytes === undefined) writeValue(writer, value as Exclude<typeof value, Uint8Array>);
      else if (!writer.asciiString(bytes)) writeValue(writer, field.get(source)!);
    }
    writer.byte(BRACE_CLOSE);
    return writer.copy();
  }
}

function writeValue(writer: JsonWriter, value: WrittenValue<FieldValues[FieldKind]>): void {
  if (typeof value === 'number') writer.number(value);
  else if (typeof value === 'string') writer.string(value);
  else if (typeof value === 'boolean') writer.boolean(value);
  else if (value instanceof Map) writeMap(writer, value as ReadonlyMap<string, string | number>);
  else writeTexts(writer, value as readonly string[]);
}

/** As a JSON array. */
export function writeTexts(writer: JsonWriter, texts: readonly string[]): void {
  writer.byte(BRACKET_OPEN);
  texts.forEach((each, i) => {
    if (i > 0) writer.byte(COMMA);
    writer.string(each);
  });
  writer.byte(BRACKET_CLOSE);
}

/** A map as a JSON object. */
export function writeMap(writer: JsonWriter, map: ReadonlyMap<string, string | number>): void {
  writer.byte(BRACE_OPEN);
  let isFirst = true;
  for (const [key, value] of map) {
    if (!isFirst) writer.byte(COMMA);
    isFirst = false;
    writer.string(key);
    writer.byte(COLON);
    writeValue(writer, value);
  }
  writer.byte(BRACE_CLOSE);
}
