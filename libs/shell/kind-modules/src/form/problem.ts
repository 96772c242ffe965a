/** What is wrong with a setting, beside what its own form says. Settings are named within the section. */
export interface Problem {
  readonly setting: string;
  readonly value: unknown;
  readonly problem: string;
  /** Other settings that it takes: nothing is said where one of them is wrong in itself. */
  readonly involved?: readonly string[];
}
