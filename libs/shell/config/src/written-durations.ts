// Lengths of time as people write them, "30m", where a setting wants milliseconds.
import { millisecondsIn } from '@flatline/base';
import { isReducer } from '@flatline/kind-modules/form';
import { plainCopy } from './plain-copy.ts';

/** A copy of `root` with the milliseconds that are meant; what is no length of time stays for the schema to refuse. */
export function inMilliseconds(root: unknown): unknown {
  const copy = plainCopy(root);
  convert(copy);
  return copy;
}

function convert(value: unknown): void {
  if (typeof value !== 'object' || value === null || isReducer(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && name.endsWith('Ms')) Reflect.set(value, name, millisecondsIn(inner) ?? inner);
    else convert(inner);
  }
}
