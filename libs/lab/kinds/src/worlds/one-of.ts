import type { Random } from '@flatline/base';

export function oneOf<T>(random: Random, values: readonly T[]): T {
  return values[random.below(values.length)]!;
}
