// Which attributes of an input get in, resolved (E1), and the form in which the changelog says it.
import type { PassedAttributes } from '@flatline/records/gate';
import { createHmac } from 'node:crypto';

/** Names are sorted. The key is a secret that nothing prints; undefined, too, where whoever has resolved this does not need it. */
export interface AttributesConfig extends PassedAttributes {
  /** Where they lie in values that are no events (S8): a JSON pointer; left out: values are events. */
  readonly at?: string;
}

/** Rules that decide something, as the changelog says them (K1). */
interface AttributeRules {
  readonly at?: string;
  readonly allow: readonly string[] | null;
  readonly hash: readonly string[];
  readonly hashKeyId: string | null;
}

/** UTF-8 bytes of a key: a shorter one is guessed. */
export const HASH_KEY_BYTES_MIN = 16;
const KEY_ID_DIGITS = 8;

interface WrittenAttributes {
  readonly at?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly hash?: readonly string[] | undefined;
}

/** Sorted, so that the same settings are the same rules however they were written. */
export function attributesOf(
  { at, allow, hash = [] }: WrittenAttributes,
  hashKey: string | undefined,
): AttributesConfig {
  return { ...(at !== undefined && { at }), allow: allow && sorted(allow), hash: sorted(hash), hashKey };
}

export function attributeRules({ at, allow, hash, hashKey }: AttributesConfig): AttributeRules {
  return {
    ...(at !== undefined && { at }),
    allow: allow ?? null,
    hash,
    hashKeyId: hashKey === undefined ? null : hashKeyId(hashKey),
  };
}

/** For pipelines in memory, which look for no secret: anyone knows this one. */
const KEY_IN_MEMORY = 'flatline/testing';

export function inMemory(attributes: AttributesConfig | undefined): AttributesConfig | undefined {
  return attributes && { ...attributes, hashKey: attributes.hashKey ?? KEY_IN_MEMORY };
}

/** Tells keys apart, and says nothing more of one: what was hashed with another cannot be compared. */
export function hashKeyId(hashKey: string): string {
  return createHmac('sha256', hashKey).update('flatline hash key').digest('hex').slice(0, KEY_ID_DIGITS);
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort((a, b) => (a < b ? -1 : 1));
}
