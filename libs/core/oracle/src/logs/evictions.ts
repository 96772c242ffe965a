// Evictions (Q4), as records ask for them and commits say them.
import type { Millis } from '@flatline/base';

/** An eviction as it is asked for (Q4). */
export interface AskedEviction {
  readonly attribute: string;
  readonly equals: string;
  /** Its record's. */
  readonly offset: number;
}

/** The same with the clock at its record, and the least that it may have been (C6). */
export interface SaidEviction extends AskedEviction {
  readonly at: Millis;
  readonly atLeast: Millis;
}
