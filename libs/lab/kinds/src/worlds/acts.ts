// Acts of an operator (Q4) as worlds draw them: on a key, and on all that has an attribute.
import type { Random } from '@flatline/base';
import type { ProducedRecord } from '@flatline/cluster';
import { oneOf } from './one-of.ts';

const utf8 = new TextEncoder();

/** Few, so that what is asked for is there. */
const VALUES = ['', 'x'];

export function commandOf(key: string | null, command: string, value: string | null = null): ProducedRecord {
  return { key, value, headers: [{ name: 'flatline-command', value: utf8.encode(command) }] };
}

/** Attributes that evictions ask for. */
export function attributesToEvict(random: Random, names: readonly string[]): Readonly<Record<string, string>> {
  return { [oneOf(random, names)]: oneOf(random, VALUES) };
}

/** It lies in the partition of the key for which it was drawn, and names none. */
export function evictionBy(random: Random, names: readonly string[]): ProducedRecord {
  const asked = { attribute: oneOf(random, names), equals: oneOf(random, VALUES) };
  // With a member that is not obeyed it is a dead letter.
  return commandOf(null, 'EVICT', JSON.stringify(random.chance(0.05) ? { ...asked, key: 'k1' } : asked));
}
