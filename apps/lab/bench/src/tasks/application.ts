// What every processor that is measured has for itself.

export interface Application {
  readonly application: string;
  readonly brokers: readonly string[];
  /** Its input. */
  readonly topic: string;
  readonly partitions: number;
  readonly stateDir: string;
}

/** The one pipeline of every processor that is measured. */
export const PIPELINE = 'bench';
