// A task as a worker's handler gets it, and what it was given to work on.
import type { Millis } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import type { ReceivedBatch } from '@flatline/records/batches';

/** A due message or a batch, whichever attempt at it this is. */
export interface Work {
  /**
   * The same at each attempt, after a crash and by another worker: of a run `<partition>-<offset>` of its first record on `runs`, of a
   * batch `<windowId>/<reason>/<part>`.
   */
  readonly id: string;
  readonly key: Uint8Array;
  /** The key as text: what is no UTF-8 shows as U+FFFD. */
  readonly keyText: string;
  /** The message, byte for byte; of a batch its record as it lies on the topic. */
  readonly value: Uint8Array;
  /** The message's own headers. */
  readonly headers: readonly RecordHeader[];
  /** When its first attempt was due, in milliseconds since the epoch; undefined: a batch is due when it comes. */
  readonly dueAt: Millis | undefined;
  /** From 1. */
  readonly attempt: number;
  /** Items to be drained; undefined: it is a message. */
  readonly batch: ReceivedBatch | undefined;
}

export interface Task extends Work {
  /** The lease's, to be sent along with every write to what must not be written twice at a time; undefined: without `leases`. */
  readonly token: number | undefined;
  /** To be asked before each act where what is written to cannot compare tokens. Without `leases` true until `signal` is aborted. */
  readonly isHeld: boolean;
  /** Aborted with an error called `TaskTimedOut`, with `LeaseLost`, or because the worker ends: then do no more, and return or throw. */
  readonly signal: AbortSignal;
}

/** The time limit of an attempt has passed. */
export class TaskTimedOut extends Error {
  override readonly name = 'TaskTimedOut';

  constructor(id: string, timeoutMs: number) {
    super(`the task ${id} was not done within ${timeoutMs} ms`);
  }
}
