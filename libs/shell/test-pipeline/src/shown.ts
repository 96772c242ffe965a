const LENGTH_MAX = 60;

/** A value that was given, for a message. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LENGTH_MAX));
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.prototype.toString.call(value) === '[object Date]' ? 'an invalid Date' : 'an object';
}
