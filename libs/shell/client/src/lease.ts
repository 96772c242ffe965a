// A lease as an application has it, and what it asks for.
import type { DurationMs } from '@flatline/base';

export interface LeaseWish {
  /** Silence that ends the lease. In milliseconds; default: the pipeline's. */
  readonly timeoutMs?: DurationMs;
  /** How long to wait in the pipeline's queue. In milliseconds; default: as long as that allows. */
  readonly waitMs?: DurationMs;
  /** Shown to those who are refused: a Map or a plain object. Default: none. */
  readonly attributes?: ReadonlyMap<string, string> | Readonly<Record<string, string>>;
  /** Ends the waiting: the call rejects with its reason, the queue is left, and what is granted all the same is given back. Default: none. */
  readonly signal?: AbortSignal;
}

export interface WatchOptions {
  /** Ends the iteration. Default: none. */
  readonly signal?: AbortSignal;
}

export interface ResumeOptions {
  /** Ends the waiting: the call rejects with its reason. Default: none. */
  readonly signal?: AbortSignal;
}

/** A lease that is held until it is over. */
export interface Lease {
  /** To be sent along with every write to what is protected, which refuses those with a lower one. */
  readonly token: number;
  /** To be asked before each act where what is protected cannot compare tokens. */
  readonly isHeld: boolean;
  /** Resolves once it is over, with the reason: before the log ends it, unless this process did not run. */
  readonly over: Promise<string>;
  /** Gives it back, while it is held. */
  release(): void;
}
