import type { Millis } from '@flatline/base';

/** An event as a reducer sees it. Made for one call: it may be changed, and nothing is left of it. Objects have no prototype. */
export interface ReducerEvent {
  /** As counted; of an item of a window `ITEM`. */
  readonly type: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** All fields of the value, as JSON or its Avro schema has them; of a value that is no object none. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Event time: the event's `occurredAt`, else the record's timestamp. Milliseconds since the epoch. */
  readonly occurredAt: Millis;
  /** Effective time (docs/SPEC.md, Terms). */
  readonly effectiveAt: Millis;
  /** Where it lies in its input partition. */
  readonly offset: number;
}
