/** A fault of a setting, beside those that its own form finds. Settings are named within the section. */
export interface Problem {
  readonly setting: string;
  readonly value: unknown;
  readonly problem: string;
  /** Other settings that it takes: nothing is said where one of them is wrong in itself. */
  readonly involved?: readonly string[];
}
