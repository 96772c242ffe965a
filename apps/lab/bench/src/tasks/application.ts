// The topics and the state directory of a measured processor.

export interface Application {
  readonly application: string;
  readonly brokers: readonly string[];
  /** Its input. */
  readonly topic: string;
  readonly partitions: number;
  readonly stateDir: string;
}

/** Name of the only pipeline of a measured processor. */
export const PIPELINE = 'bench';
