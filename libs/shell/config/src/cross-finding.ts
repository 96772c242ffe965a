import { type Finding, shownValue } from './configuration-error.ts';

/** Says nothing where one of `involved` is wrong in itself. */
export interface CrossFinding extends Finding {
  readonly involved: readonly string[];
}

export function finding(
  setting: string,
  value: unknown,
  problem: string,
  involved: readonly string[] = [],
): CrossFinding {
  return { setting, value: shownValue(value), problem, involved: [setting, ...involved] };
}
