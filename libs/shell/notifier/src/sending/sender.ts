import type { Delivery, Outcome } from '@flatline/deliveries';

/** One attempt: never rejects, and ends within the endpoint's `timeoutMs`. */
export interface Sender {
  /** `end`: the attempt is called off, and what came of it counts for nothing. */
  attempt(delivery: Delivery, end: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}
