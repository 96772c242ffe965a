/** Fault of a topic, and its remedy. */
export interface Deviation {
  readonly topic: string;
  readonly problem: string;
  readonly remedy: string;
}
