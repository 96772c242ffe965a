// Which attributes get in, in worlds (E1): before and after settings change, each time with another key.
import type { Random } from '@flatline/base';
import { attributeRules, type AttributesConfig, attributesOf, hashKeyId } from '@flatline/kind-modules/attributes';
import { type AttributeRules, keyedHash, type KeyedHashes } from '@flatline/oracle';
import { oneOf } from './one-of.ts';

export interface AttributesOfWorld {
  readonly attributes: AttributesConfig;
  /** For the judge, which in some worlds has one key of two: what another has hashed cannot be compared. */
  readonly judged: { readonly attributes: AttributeRules; readonly hashes: KeyedHashes };
}

const KEYS = ['the key of a world, at first', 'the key of a world, later on'] as const;

/** `names`: of the attributes that events have. In most worlds all get in: undefined. */
export function drawAttributes(
  random: Random,
  names: readonly string[],
): readonly [AttributesOfWorld | undefined, AttributesOfWorld | undefined] {
  if (!random.chance(0.3)) return [undefined, undefined];
  const known = random.chance(0.5) ? KEYS : KEYS.slice(0, 1);
  const hashes = new Map(known.map((key) => [hashKeyId(key), keyedHash(key)]));
  const drawn = (key: string): AttributesOfWorld => {
    const allow = oneOf(random, [undefined, [], names.slice(0, 1), names.slice(0, -1)]);
    const attributes = attributesOf({ allow, hash: oneOf(random, [[], names.slice(-1), names.slice(0, 2)]) }, key);
    return { attributes, judged: { attributes: attributeRules(attributes), hashes } };
  };
  const [first, later] = [drawn(KEYS[0]), drawn(KEYS[1])];
  return [first, random.chance(0.3) ? undefined : later];
}
