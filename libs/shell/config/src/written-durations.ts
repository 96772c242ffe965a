// Lengths of time as people write them: "250ms", "10s", "30m", "12h", "7d", where a setting wants milliseconds.
import { plainCopy } from './plain-copy.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** As a setting that ends in `Ms` may be written beside its number. */
export type WrittenDuration = `${number}${keyof typeof UNIT_MS}`;

export const WRITTEN_DURATION = /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/;

/** A copy of `root` with the milliseconds that are meant; what is no length of time stays for the schema to refuse. */
export function inMilliseconds(root: unknown): unknown {
  const copy = plainCopy(root);
  convert(copy);
  return copy;
}

function convert(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && name.endsWith('Ms')) Reflect.set(value, name, millisecondsOf(inner));
    else convert(inner);
  }
}

function millisecondsOf(text: string): string | number {
  const [, amount, unit] = WRITTEN_DURATION.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return text;
  // "0.1s" is 100 ms, and not a ten-millionth more; what is no whole number of them is refused.
  return Number((Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]).toPrecision(15));
}
