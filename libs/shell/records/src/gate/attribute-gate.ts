// Keeps attributes of an input out, or replaces their values by a keyed hash, before anything of the record is kept (E1).
//
// A decoder around the decoder: the task, its state, outputs, changelog and whoever looks at them never see what does not pass.
// Only pipelines that have the setting pay for it.
import { assert } from '@flatline/base';
import type { DecodeOutcome, ValueDecoder } from '@flatline/ports/formats';
import { createHmac } from 'node:crypto';

/** Hexadecimal digits of a hash: 128 bits of the 256. Two of 2⁶⁴ values are the same by chance. */
const HASH_DIGITS = 32;

/** Which attributes pass. */
export interface PassedAttributes {
  /** Names that do as they are; undefined: all that are not hashed. */
  readonly allow: readonly string[] | undefined;
  /** Names of which a keyed hash does. */
  readonly hash: readonly string[];
  /** Needed where any are. */
  readonly hashKey: string | undefined;
}

interface WithAttributes {
  attributes: Map<string, string> | undefined;
}

/** A decoder that may show all that a value has, as one of events does. */
interface ShowingDecoder<Target> extends ValueDecoder<Target> {
  fields?(bytes: Uint8Array, start: number, length: number): Readonly<Record<string, unknown>>;
}

/** The decoder itself where nothing is set. */
export function gated<Target extends WithAttributes>(
  attributes: PassedAttributes | undefined,
  decoder: ShowingDecoder<Target>,
): ShowingDecoder<Target> {
  if (attributes === undefined) return decoder;
  const gate = new AttributeGate(attributes);
  return {
    ...(decoder.fields && {
      fields: (bytes, start, length) => gate.shown(decoder.fields!(bytes, start, length)),
    }),
    prepare: (schemaId) => decoder.prepare(schemaId),
    decode: (bytes, start, length, target) => {
      const outcome = decoder.decode(bytes, start, length, target);
      if (outcome.kind === 'bad') return withoutQuotation(outcome);
      if (target.attributes !== undefined) target.attributes = gate.passed(target.attributes);
      return outcome;
    },
  };
}

class AttributeGate {
  readonly #allow: ReadonlySet<string> | undefined;
  readonly #hash: ReadonlySet<string>;
  readonly #key: string;

  constructor({ allow, hash, hashKey }: PassedAttributes) {
    assert(hash.length === 0 || hashKey !== undefined, 'a key is there to hash with');
    this.#allow = allow && new Set(allow);
    this.#hash = new Set(hash);
    this.#key = hashKey ?? '';
  }

  /** In the order in which they came; undefined: none passes, as of an event without any. */
  passed(attributes: ReadonlyMap<string, string>): Map<string, string> | undefined {
    const passed = new Map<string, string>();
    for (const [name, value] of attributes) {
      if (this.#hash.has(name)) passed.set(name, this.#hashOf(value));
      else if (this.#allow?.has(name) !== false) passed.set(name, value);
    }
    return passed.size === 0 ? undefined : passed;
  }

  /** All fields of an event, with those attributes that pass. */
  shown(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    if (!Object.hasOwn(fields, ATTRIBUTES)) return fields;
    const passed = this.passed(new Map(Object.entries((fields[ATTRIBUTES] ?? {}) as Record<string, string>)));
    const gotIn: [string, unknown][] = passed === undefined ? [] : [[ATTRIBUTES, bareObject(passed)]];
    // In the order in which they came.
    return bareObject(Object.entries(fields).flatMap((each) => (each[0] === ATTRIBUTES ? gotIn : [each])));
  }

  #hashOf(value: string): string {
    return createHmac('sha256', this.#key).update(value, 'utf8').digest('hex').slice(0, HASH_DIGITS);
  }
}

/** The field of an event that has them. */
const ATTRIBUTES = 'attributes';

/** Members mean nothing but themselves. */
export function bareObject<T>(members: Iterable<readonly [string, T]>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as Record<string, T>, Object.fromEntries(members));
}

/** Reasons whose details quote the record: details stand in logs and on status pages, which should not have what is kept out. */
const QUOTING: ReadonlySet<string> = new Set(['invalid-json', 'invalid-attributes']);

function withoutQuotation(outcome: Extract<DecodeOutcome, { kind: 'bad' }>): DecodeOutcome {
  if (!QUOTING.has(outcome.reason)) return outcome;
  const detail = 'not quoted here, since input.attributes keeps things out: the dead letter has the record as it came';
  return { ...outcome, detail };
}
