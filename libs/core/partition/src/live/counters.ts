/** Counters of a task since it was created. Plain numbers: the shell turns them into metrics. */
export interface EngineCounters {
  recordsRead: number;
  clockRecords: number;
  /** Due instants that have taken effect. */
  expired: number;
  deadLetters: number;
  /** Dead letters of records at which the task failed (I6). */
  failedRecords: number;
  /** Dead letters of records that needed more than there may be (I7). */
  stateFull: number;
  /** Records stamped below evidence that had moved the clock already: closes may have been too early (C3). */
  clockOvertaken: number;
  /** Records of the other timestamp type, from before the input had the configured one: read over (C6). */
  formerTypeRecords: number;
  /** Entries opened by a key that Kafka's default partitioner would have put into another partition (I9). */
  misplacedKeys: number;
  /** Records of other topics that outputs have brought about (P3). */
  routed: number;
  /** Dead letters of outputs of which a route could not make its record. */
  unroutable: number;
}

/** Beside them, by name, what the kind counts. */
export type TaskCounters = EngineCounters & Record<string, number>;

export function zeroCounters(): EngineCounters {
  return {
    recordsRead: 0,
    clockRecords: 0,
    expired: 0,
    deadLetters: 0,
    failedRecords: 0,
    stateFull: 0,
    clockOvertaken: 0,
    formerTypeRecords: 0,
    misplacedKeys: 0,
    routed: 0,
    unroutable: 0,
  };
}
