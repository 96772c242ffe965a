// Values of a declared type as bytes (Avro 1.12, "Binary Encoding"), in one way only: entries of maps in the order of their keys,
// −0 as 0, each array and map in one block. Equal values are equal bytes, whoever made them.
import { ByteWriter } from '@flatline/base';
import { type DeclaredType, formOf, type RecordType } from './declared-type.ts';

/** The value is none of its type. */
export class NotOfType extends Error {
  override readonly name = 'NotOfType';
}

const INT_MAX = 2 ** 31 - 1;
/** Least number that zigzag doubles exactly. */
const LONG_LEAST = -(2 ** 52);
/** Nesting is bounded by the type; what an array says that it holds, by the bytes. */
const utf8 = new TextEncoder();

/** Writes `value`. @throws NotOfType, whose message names the field. */
export function encodeValue(type: DeclaredType, value: unknown, out: ByteWriter, at = ''): void {
  switch (type.kind) {
    case 'null':
      if (value !== null && value !== undefined) throw wrong(at, value, 'null');
      return;
    case 'boolean':
      if (typeof value !== 'boolean') throw wrong(at, value, 'true or false');
      out.u8(value ? 1 : 0);
      return;
    case 'int':
      if (!Number.isInteger(value) || Math.abs(value as number) > INT_MAX) throw wrong(at, value, 'a 32-bit integer');
      writeLong(value as number, out);
      return;
    case 'long':
      if (!Number.isSafeInteger(value)) throw wrong(at, value, 'an integer up to 2^53 - 1');
      writeLong(value as number, out);
      return;
    case 'double':
      if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(at, value, 'a finite number');
      out.f64(value + 0);
      return;
    case 'bytes':
      if (!(value instanceof Uint8Array)) throw wrong(at, value, 'a Uint8Array');
      writeLong(value.length, out);
      out.raw(value);
      return;
    case 'string':
      writeText(textOf(value, at), out);
      return;
    case 'enum':
      writeSymbol(type.symbols, value, out, at);
      return;
    case 'array':
      writeArray(type.items, value, out, at);
      return;
    case 'map':
      writeMap(type.items, value, out, at);
      return;
    case 'union':
      writeBranch(type.branches, value, out, at);
      return;
    case 'record':
      writeRecord(type, value, out, at);
  }
}

/** The bytes alone. @throws NotOfType */
export function encoded(type: DeclaredType, value: unknown): Uint8Array {
  const out = new ByteWriter(64);
  encodeValue(type, value, out);
  return out.copy();
}

function writeRecord({ fields }: RecordType, value: unknown, out: ByteWriter, at: string): void {
  const members = membersOf(value, at);
  for (const { name, type } of fields) {
    const member: unknown = Object.hasOwn(members, name) ? members[name] : undefined;
    encodeValue(type, member, out, `${at}.${name}`);
  }
  const foreign = Object.keys(members).find((name) => !fields.some((field) => field.name === name));
  if (foreign !== undefined)
    throw new NotOfType(`${place(`${at}.${foreign}`)} is no field of the schema: what is not declared would be lost`);
}

function writeArray(items: DeclaredType, value: unknown, out: ByteWriter, at: string): void {
  if (!Array.isArray(value)) throw wrong(at, value, 'an array');
  if (value.length > 0) writeLong(value.length, out);
  for (let i = 0; i < value.length; i += 1) encodeValue(items, value[i], out, `${at}[${i}]`);
  out.u8(0);
}

function writeMap(items: DeclaredType, value: unknown, out: ByteWriter, at: string): void {
  const members = membersOf(value, at);
  // By UTF-16 units, as JavaScript compares texts.
  const names = Object.keys(members).sort();
  if (names.length > 0) writeLong(names.length, out);
  for (const name of names) {
    writeText(textOf(name, at), out);
    encodeValue(items, members[name], out, `${at}.${name}`);
  }
  out.u8(0);
}

function writeBranch(branches: readonly DeclaredType[], value: unknown, out: ByteWriter, at: string): void {
  const form = formOfValue(value);
  const branch = branches.findIndex((each) => formOf(each) === form);
  if (branch < 0) throw wrong(at, value, branches.map(({ kind }) => kind).join(' or '));
  writeLong(branch, out);
  encodeValue(branches[branch]!, value, out, at);
}

function formOfValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Uint8Array) return 'bytes';
  return typeof value === 'string' ? 'text' : typeof value;
}

function writeSymbol(symbols: readonly string[], value: unknown, out: ByteWriter, at: string): void {
  const index = symbols.indexOf(value as string);
  if (index < 0) throw wrong(at, value, `one of ${symbols.join(', ')}`);
  writeLong(index, out);
}

function membersOf(value: unknown, at: string): Readonly<Record<string, unknown>> {
  // No member of a Map, a Date or a promise would be kept.
  if (Object.prototype.toString.call(value) !== '[object Object]') throw wrong(at, value, 'an object');
  return value as Readonly<Record<string, unknown>>;
}

/** A lone surrogate has no UTF-8: read back it would be another text. */
function textOf(value: unknown, at: string): string {
  if (typeof value !== 'string') throw wrong(at, value, 'a text');
  if (!value.isWellFormed()) throw new NotOfType(`${place(at)} holds half of a surrogate pair`);
  return value;
}

function writeText(text: string, out: ByteWriter): void {
  const bytes = utf8.encode(text);
  writeLong(bytes.length, out);
  out.raw(bytes);
}

function writeLong(value: number, out: ByteWriter): void {
  if (value >= LONG_LEAST) {
    out.signedVarint(value + 0);
    return;
  }
  // Twice such a number is no safe integer.
  let rest = -2n * BigInt(value) - 1n;
  for (; rest >= 0x80n; rest >>= 7n) out.u8(Number(rest & 0x7fn) | 0x80);
  out.u8(Number(rest));
}

function wrong(at: string, value: unknown, wanted: string): NotOfType {
  return new NotOfType(`${place(at)} is ${shown(value)}, wanted ${wanted}`);
}

function place(at: string): string {
  return at === '' ? 'it' : at.replace(/^\./, '').slice(0, 80);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value !== 'object' || value === null) return String(value).slice(0, 40);
  // "[object Promise]"
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return name === 'Promise' ? 'a promise: a reducer is synchronous' : `a value of the type ${name}`;
}
