import { isReducer } from '@flatline/kind-modules/form';

/** A deep copy of objects and lists; everything else, functions and reducers too, is what it was: the schema says what it thinks of it. */
export function plainCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainCopy);
  if (typeof value !== 'object' || value === null || isReducer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainCopy(inner)]));
}
