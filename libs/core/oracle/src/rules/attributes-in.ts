// Which attributes of a record get in, and what of them (E1), read a second time from docs/SPEC.md.
import type { AttributeRules, CommonRules, EventFields, InputEvent, InputRecord } from '../logs/history.ts';
import { hmacSha256 } from '../logs/sha256.ts';

/** By the key's id, what a value is with that key. */
export type KeyedHashes = ReadonlyMap<string, (value: string) => string>;

/** Rules of which attributes get in. */
export type AttributesInForce = Pick<CommonRules, 'inputs' | 'attributes' | 'hashes'>;

/** Hexadecimal digits of a hash. */
const DIGITS = 32;
const HASH = new RegExp(`^[0-9a-f]{${DIGITS}}$`);
/** A value whose hash cannot be reckoned, as long as any hash. */
export const OTHER_KEY = 'hashed by a key unknown to check';
/** Values come again and again. Those remembered of one key. */
const KNOWN_MAX = 10_000;

export function keyedHash(hashKey: string): (value: string) => string {
  const key = new TextEncoder().encode(hashKey);
  const known = new Map<string, string>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const bytes = hmacSha256(key, new TextEncoder().encode(value));
    const hash = [...bytes]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('')
      .slice(0, DIGITS);
    if (known.size === KNOWN_MAX) known.clear();
    known.set(value, hash);
    return hash;
  };
}

/** The event as it gets in. */
export function eventIn<Event extends Pick<InputEvent, 'attributes'>>(
  event: Event,
  rules: AttributesInForce,
  { input = 0 }: Pick<InputRecord, 'input'>,
): Event {
  const said = saidOf(rules, input);
  if (event.attributes === undefined || said === undefined) return event;
  const { allow, hash } = said;
  const hashOf = rules.hashes?.get(said.hashKeyId ?? '') ?? (() => OTHER_KEY);
  const kept = [...event.attributes].flatMap(([name, value]): [string, string][] => {
    if (hash.includes(name)) return [[name, hashOf(value)]];
    return allow === null || allow.includes(name) ? [[name, value]] : [];
  });
  return { ...event, attributes: kept.length === 0 ? undefined : new Map(kept) };
}

/** All fields of a record as they get in; `attributes`: those that do. */
export function fieldsIn(
  fields: EventFields,
  attributes: Readonly<Record<string, string>>,
  rules: AttributesInForce,
  { input = 0 }: Pick<InputRecord, 'input'>,
): EventFields {
  const said = saidOf(rules, input);
  if (said === undefined) return fields;
  const gotIn = Object.keys(attributes).length === 0 ? [] : [['attributes', attributes] as const];
  // In what is no event nothing else counts (S8).
  if (said.at !== undefined) return Object.fromEntries(gotIn);
  const all = Object.entries(fields);
  return Object.fromEntries(
    all.flatMap((each): readonly (readonly [string, unknown])[] => (each[0] === 'attributes' ? gotIn : [each])),
  );
}

/** Names that are hashed with a key that is not there, by the rules in force, and the ids of these keys. */
export function hashedOtherwise(
  rules: AttributesInForce,
): readonly { readonly names: readonly string[]; readonly keyId: string }[] {
  const all = rules.inputs === undefined ? [rules.attributes] : rules.inputs.map(({ attributes }) => attributes);
  return all.flatMap((said) => {
    if (said === undefined || said.hash.length === 0 || rules.hashes?.has(said.hashKeyId ?? '') === true) return [];
    return [{ names: said.hash, keyId: said.hashKeyId ?? 'none' }];
  });
}

/** True of a value that may be what the fold could not reckon. */
export function mayBeHash(found: unknown, expected: unknown): boolean {
  return expected === OTHER_KEY && typeof found === 'string' && HASH.test(found);
}

function saidOf({ inputs, attributes }: AttributesInForce, input: number): AttributeRules | undefined {
  return inputs === undefined ? attributes : inputs[input]?.attributes;
}
