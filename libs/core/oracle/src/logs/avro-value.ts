// Reads values in Avro's binary encoding (Avro 1.12) by the schema of their writer.
//
// Counts and lengths are not trusted: types that occupy no bytes are recognized beforehand and skipped at once, and every other
// value takes at least a byte.
import type { AvroRecord, AvroType } from './avro-schema.ts';
import { BrokenBytes, ByteWalk } from './byte-walk.ts';
import { utf8In } from './byte-names.ts';
import type { EventFields } from './history.ts';

/** Maximum nesting of skipped values. */
const DEPTH_MAX = 64;

/** Reads one value of `record`, skipping fields that are not `wanted`; bytes are read as text. @throws BrokenBytes */
export function avroFields(record: AvroRecord, value: Uint8Array, wanted: (name: string) => boolean): EventFields {
  const walk = new AvroWalk(value, 'text');
  const fields = new Map<string, unknown>();
  for (const { name, type } of record.fields)
    if (wanted(name)) fields.set(name, walk.read(type));
    else walk.pass(type, 0);
  walk.end();
  return Object.fromEntries(fields);
}

/** Reads one value of `record`, whole; bytes stay bytes. @throws BrokenBytes */
export function avroRecord(record: AvroRecord, value: Uint8Array): EventFields {
  const walk = new AvroWalk(value, 'bytes');
  const fields = walk.record(record);
  walk.end();
  return fields;
}

/** All fields of one value of `record`, as a reducer sees them (S10): what `avroFields` would pass over is taken as it is. */
export function avroAll(record: AvroRecord, value: Uint8Array): EventFields {
  return new AvroWalk(value, 'bytes').any(record, 0) as EventFields;
}

class AvroWalk {
  readonly #bytes: ByteWalk;
  readonly #bytesAre: 'text' | 'bytes';
  /** Types met so far: true if they occupy no bytes. */
  readonly #empty = new Map<AvroType, boolean>();

  constructor(value: Uint8Array, bytesAre: 'text' | 'bytes') {
    this.#bytes = new ByteWalk(value);
    this.#bytesAre = bytesAre;
  }

  end(): void {
    if (this.#bytes.left > 0) throw new BrokenBytes(`${this.#bytes.left} bytes follow the end of the value`);
  }

  record({ fields }: AvroRecord): EventFields {
    return Object.fromEntries(fields.map(({ name, type }): [string, unknown] => [name, this.read(type)]));
  }

  /** Reads the types that a reader's schema here asks for: texts, numbers, booleans, collections of these, and unions. */
  read(type: AvroType): unknown {
    if (type.kind === 'union') return this.read(this.#branch(type.branches));
    if (type.kind === 'map') return this.#map(type.items);
    if (type.kind === 'array') return this.#array(type.items);
    if (type.kind === 'record') return this.record(type);
    const name = type.kind === 'plain' ? type.name : type.kind;
    if (name === 'null') return null;
    if (name === 'int' || name === 'long') return this.#bytes.exactLong();
    if (name === 'double') return this.#number(8);
    if (name === 'float') return this.#number(4);
    if (type.kind === 'enum') return type.symbols[this.#bytes.exactLong()];
    if (name === 'boolean') return this.#boolean();
    if (name === 'bytes' && this.#bytesAre === 'bytes') return this.#sized().slice();
    if (name === 'string' || name === 'bytes') return this.#text();
    throw new BrokenBytes(`holds a ${name} where none is wanted`);
  }

  /** Reads any type, in whatever state: no number is too large, no text is not UTF-8. */
  any(type: AvroType, depth: number): unknown {
    const isNesting = type.kind === 'record' || type.kind === 'array' || type.kind === 'map';
    if (isNesting && depth >= DEPTH_MAX) throw new BrokenBytes(`is nested more than ${DEPTH_MAX} deep`);
    switch (type.kind) {
      case 'union':
        return this.any(this.#branch(type.branches), depth);
      case 'record':
        return Object.fromEntries(
          type.fields.map((field) => [field.name, this.#isEmpty(field.type) ? null : this.any(field.type, depth + 1)]),
        );
      case 'array':
        return this.#anyItems(type.items, () => this.any(type.items, depth + 1));
      case 'map':
        return new Map(this.#anyItems(undefined, () => [this.#lossy(), this.any(type.items, depth + 1)] as const));
      case 'enum':
        return type.symbols[this.#bytes.varlong()] ?? null;
      case 'fixed':
        return this.#bytes.bytes(type.size).slice();
      case 'plain':
        return this.#anyPlain(type.name);
    }
  }

  #anyItems<T>(items: AvroType | undefined, read: () => T): T[] {
    const all: T[] = [];
    for (let count = this.#bytes.exactLong(); count !== 0; count = this.#bytes.exactLong()) {
      if (count < 0) this.#bytes.exactLong();
      if (items === undefined || !this.#isEmpty(items))
        for (let left = Math.abs(count); left > 0; left -= 1) all.push(read());
    }
    return all;
  }

  #anyPlain(name: string): unknown {
    if (name === 'null') return null;
    if (name === 'int' || name === 'long') return this.#bytes.varlong();
    if (name === 'boolean') return this.#bytes.byte() !== 0;
    if (name === 'float') return this.#number(4);
    if (name === 'double') return this.#number(8);
    return name === 'bytes' ? this.#sized().slice() : this.#lossy();
  }

  #lossy(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#sized());
  }

  /** Little endian, as IEEE 754 has it in so many bytes. */
  #number(size: 4 | 8): number {
    const { buffer, byteOffset } = this.#bytes.bytes(size);
    const view = new DataView(buffer, byteOffset, size);
    return size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
  }

  pass(type: AvroType, depth: number): void {
    if (this.#isEmpty(type)) return;
    const isNesting = type.kind === 'record' || type.kind === 'array' || type.kind === 'map';
    if (isNesting && depth >= DEPTH_MAX) throw new BrokenBytes(`is nested more than ${DEPTH_MAX} deep`);
    switch (type.kind) {
      case 'union':
        this.pass(this.#branch(type.branches), depth);
        return;
      case 'record':
        for (const field of type.fields) this.pass(field.type, depth + 1);
        return;
      case 'array':
      case 'map':
        this.#passBlocks(type, depth);
        return;
      case 'enum':
        this.#bytes.passNumber();
        return;
      case 'fixed':
        this.#bytes.bytes(type.size);
        return;
      case 'plain':
        this.#passPlain(type.name);
    }
  }

  #passPlain(name: string): void {
    if (name === 'int' || name === 'long') this.#bytes.passNumber();
    else if (name === 'boolean') this.#bytes.byte();
    else if (name === 'float') this.#bytes.bytes(4);
    else if (name === 'double') this.#bytes.bytes(8);
    else this.#sized();
  }

  #passBlocks(type: AvroType & { readonly kind: 'array' | 'map' }, depth: number): void {
    const passItem = (): void => {
      if (type.kind === 'map') this.#sized();
      this.pass(type.items, depth + 1);
    };
    const isEmpty = type.kind === 'array' && this.#isEmpty(type.items);
    for (let count = this.#bytes.exactLong(); count !== 0; count = this.#bytes.exactLong()) {
      // A block with a negative count states its size in bytes.
      if (count < 0) this.#sized();
      else if (!isEmpty) for (let left = count; left > 0; left -= 1) passItem();
    }
  }

  #map(items: AvroType): ReadonlyMap<string, unknown> {
    const map = new Map<string, unknown>();
    for (let count = this.#bytes.exactLong(); count !== 0; count = this.#bytes.exactLong()) {
      if (count < 0 && this.#bytes.exactLong() < 0) throw new BrokenBytes('has a block of a negative length');
      for (let left = Math.abs(count); left > 0; left -= 1) {
        const key = this.#text();
        map.set(key, this.read(items));
      }
    }
    return map;
  }

  #array(items: AvroType): readonly unknown[] {
    const array: unknown[] = [];
    for (let count = this.#bytes.exactLong(); count !== 0; count = this.#bytes.exactLong()) {
      if (this.#isEmpty(items)) throw new BrokenBytes('has an array of nothing');
      if (count < 0 && this.#bytes.exactLong() < 0) throw new BrokenBytes('has a block of a negative length');
      for (let left = Math.abs(count); left > 0; left -= 1) array.push(this.read(items));
    }
    return array;
  }

  #branch(branches: readonly AvroType[]): AvroType {
    const index = this.#bytes.exactLong();
    const branch = branches[index];
    if (branch === undefined) throw new BrokenBytes(`is branch ${index} of a union of ${branches.length}`);
    return branch;
  }

  #boolean(): boolean {
    const byte = this.#bytes.byte();
    if (byte > 1) throw new BrokenBytes(`holds a boolean of ${byte}`);
    return byte === 1;
  }

  #text(): string {
    const text = utf8In(this.#sized());
    if (text === undefined) throw new BrokenBytes('holds a text that is not UTF-8');
    return text;
  }

  #sized(): Uint8Array {
    return this.#bytes.bytes(this.#bytes.exactLong());
  }

  /** True if values of the type occupy no bytes; false for a type that contains itself. */
  #isEmpty(type: AvroType): boolean {
    const known = this.#empty.get(type);
    if (known !== undefined) return known;
    this.#empty.set(type, false);
    const isEmpty =
      (type.kind === 'plain' && type.name === 'null') ||
      (type.kind === 'fixed' && type.size === 0) ||
      (type.kind === 'record' && type.fields.every((field) => this.#isEmpty(field.type)));
    this.#empty.set(type, isEmpty);
    return isEmpty;
  }
}
