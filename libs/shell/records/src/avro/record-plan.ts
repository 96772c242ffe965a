// How values of one writer schema become our record: Avro's schema resolution, worked out once per schema.
//
// A plan is a step per field of the writer, in the writer's order: read it into the field of ours that bears its name, or
// pass over it. Fields of ours that the writer lacks keep what the target has, which is their default.
// Only for writers that `resolvableWriter` let through: it has compared the types, so steps need not.
import type { Type } from 'avsc';
import { assert, counted } from '@flatline/base';
import { BadInput } from '../bad-input.ts';
import { blankItem, type DraftItem, finishItem, ITEM_SHAPE } from '../received-item.ts';
import type { ReceivedItem, RecordField, RecordShape } from '../record-shape.ts';
import { AnyValues, type ReadAny } from './any-value.ts';
import type { AvroReader } from './avro-reader.ts';
import { isArray, isLogical, isMap, isRecord, isUnion, resolvableWriter, type OwnSchema } from './schema.ts';
import { Skips } from './skip.ts';

type Step<Target> = (reader: AvroReader, target: Target) => void;
type Read<Value> = (reader: AvroReader) => Value;

export class RecordPlan<Target> {
  /** The writer's fields are ours, in our order. */
  readonly ofOwnFields: boolean;
  readonly #names: readonly string[];
  readonly #steps: readonly Step<Target>[];
  readonly #writer: Type;
  /** Made where it is first asked for. */
  #readAll: ReadAny | undefined;

  /** @throws BadInput `incompatible-schema`. */
  constructor(writerSchema: string, own: OwnSchema, shape: RecordShape<never, Target>) {
    const writer = resolvableWriter(writerSchema, own);
    const fields = new Map(shape.map((field) => [field.name, field]));
    const skips = new Skips();
    const steps = writer.fields.map(({ name, type }) => ({ name, step: stepFor(type, fields.get(name), skips) }));
    const needed = steps.filter(({ step }) => step !== nothing);
    this.#names = needed.map(({ name }) => name);
    this.#steps = needed.map(({ step }) => step);
    this.ofOwnFields = fieldsOf(writer) === fieldsOf(own.type);
    this.#writer = writer;
  }

  /** All fields of a value that `read` takes, in an object without a prototype. */
  readAll(reader: AvroReader): Readonly<Record<string, unknown>> {
    this.#readAll ??= new AnyValues().of(this.#writer);
    return this.#readAll(reader) as Readonly<Record<string, unknown>>;
  }

  /** Reads one value. @throws BadInput, after which `target` may be half filled. */
  read(reader: AvroReader, target: Target): void {
    const steps = this.#steps;
    let at = 0;
    try {
      for (; at < steps.length; at += 1) steps[at]!(reader, target);
    } catch (error) {
      if (!(error instanceof BadInput) || !error.reason.endsWith('-avro')) throw error;
      throw new BadInput(error.reason, `${this.#names[at]!}: ${error.message}`);
    }
    if (reader.remaining > 0) {
      throw new BadInput('trailing-bytes', `${counted(reader.remaining, 'byte')} after the end of the value`);
    }
  }
}

/** Names and types of fields, without defaults, documentation and other attributes; logical types have been refused or mean ours. */
function fieldsOf(type: Type): string {
  return JSON.stringify((type.schema() as { readonly fields?: unknown }).fields);
}

function nothing(): void {
  // Occupies no bytes, sets no field.
}

function stepFor<Target>(type: Type, field: RecordField<never, Target> | undefined, skips: Skips): Step<Target> {
  if (field !== undefined) return fieldStep(type, field, skips);
  return skips.of(type) ?? nothing;
}

function fieldStep<Target>(type: Type, field: RecordField<never, Target>, skips: Skips): Step<Target> {
  if (isUnion(type)) return unionStep(type.types.map((branch) => fieldStep(branch, field, skips)));
  if (type.typeName === 'null') return nothing;
  if (isLogical(type)) {
    throw new BadInput(
      'incompatible-schema',
      `${field.name} is in ${type.typeName.slice('logical:'.length)}, wanted milliseconds`,
    );
  }
  switch (field.kind) {
    case 'text':
      if (field.recurs === true) {
        return (reader, target) => {
          field.set(target, reader.recurringText());
        };
      }
      return (reader, target) => {
        field.set(target, reader.text());
      };
    case 'long':
      return (reader, target) => {
        field.set(target, reader.long());
      };
    case 'boolean':
      return (reader, target) => {
        field.set(target, reader.boolean());
      };
    case 'textMap':
      return mapStep(type, textOf, field.set);
    case 'longMap':
      return mapStep(type, longOf, field.set);
    case 'texts':
      return textsStep(type, field.set);
    case 'bytes':
      return (reader, target) => {
        field.set(target, reader.bytes());
      };
    case 'any': {
      const read = new AnyValues().of(type);
      return (reader, target) => {
        field.set(target, read(reader) as object);
      };
    }
    case 'items':
      return itemsStep(type, field.set, skips);
  }
}

function textsStep<Target>(type: Type, set: (target: Target, texts: readonly string[]) => void): Step<Target> {
  assert(isArray(type), 'an array of ours resolves from arrays only', { type: type.typeName });
  const text = textOf(type.itemsType);
  return (reader, target) => {
    const texts: string[] = [];
    for (let rest = reader.blockCount(); rest > 0; rest = reader.blockCount())
      // Each turn consumes the text's length at least, so a claimed count ends with the bytes.
      for (; rest > 0; rest -= 1) texts.push(text(reader));
    set(target, texts);
  };
}

function itemsStep<Target>(
  type: Type,
  set: (target: Target, items: ReceivedItem[]) => void,
  skips: Skips,
): Step<Target> {
  assert(isArray(type), 'an array of ours resolves from arrays only', { type: type.typeName });
  const step = itemStep(type.itemsType, skips);
  return (reader, target) => {
    const items: ReceivedItem[] = [];
    for (let rest = reader.blockCount(); rest > 0; rest = reader.blockCount())
      // Each turn consumes its offset at least, so a claimed count ends with the bytes.
      for (; rest > 0; rest -= 1) {
        const item = blankItem();
        step(reader, item);
        items.push(finishItem(item));
      }
    set(target, items);
  };
}

function itemStep(type: Type, skips: Skips): Step<DraftItem> {
  if (isUnion(type)) return unionStep(type.types.map((branch) => itemStep(branch, skips)));
  assert(isRecord(type), 'an item of ours resolves from records only', { type: type.typeName });
  const fields = new Map(ITEM_SHAPE.map((field) => [field.name, field]));
  const steps = type.fields.map(({ name, type: of }) => stepFor(of, fields.get(name), skips));
  return (reader, item) => {
    for (const step of steps) step(reader, item);
  };
}

function unionStep<Target>(branches: readonly Step<Target>[]): Step<Target> {
  const count = branches.length;
  return (reader, target) => {
    branches[reader.branch(count)]!(reader, target);
  };
}

function mapStep<Target, Value>(
  type: Type,
  valueOf: (type: Type) => Read<Value>,
  set: (target: Target, map: Map<string, Value>) => void,
): Step<Target> {
  assert(isMap(type), 'a map of ours resolves from maps only', { type: type.typeName });
  const value = valueOf(type.valuesType);
  return (reader, target) => {
    set(target, readMap(reader, value));
  };
}

function readMap<Value>(reader: AvroReader, value: Read<Value>): Map<string, Value> {
  const map = new Map<string, Value>();
  for (;;) {
    const count = reader.blockCount();
    if (count === 0) return map;
    // Each turn consumes the key's length at least, so a claimed count ends with the bytes.
    for (let rest = count; rest > 0; rest -= 1) map.set(reader.recurringText(), value(reader));
  }
}

/** Map values may be a union of types that all resolve to ours. */
function valueOf<Value>(type: Type, read: Read<Value>): Read<Value> {
  if (isLogical(type)) return valueOf(type.underlyingType, read);
  if (!isUnion(type)) return read;
  const branches = type.types.map((branch) => valueOf(branch, read));
  return (reader) => branches[reader.branch(branches.length)]!(reader);
}
function textOf(type: Type): Read<string> {
  return valueOf(type, (reader) => reader.recurringText());
}
function longOf(type: Type): Read<number> {
  return valueOf(type, (reader) => reader.long());
}
