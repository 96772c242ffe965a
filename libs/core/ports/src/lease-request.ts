import type { DurationMs } from '@flatline/base';
import { blankEvent, resetEvent, type SessionEvent } from './session-event.ts';

/** Header of a record, in decimal: the lease's token, by which its holder renews and releases it (L3). */
export const TOKEN_HEADER = 'flatline-token';
/** Header of a record, and of what is answered to it: told apart by it, and known again (L5). */
export const REQUEST_ID_HEADER = 'flatline-request-id';

/** Characters (UTF-16 code units) of a request id. */
export const REQUEST_ID_LENGTH_MAX = 256;

/**
 * One decoded request (`schemas/lease-request.avsc`): an event, with what only leases understand. Mutable, as an event is. A
 * header that says the same stands beside it.
 */
export interface LeaseRequest extends SessionEvent {
  /** A safe integer ≥ 0. */
  token: number | undefined;
  /** 1 to REQUEST_ID_LENGTH_MAX units of well-formed text. */
  requestId: string | undefined;
  /** How long a start may queue. */
  waitMs: DurationMs | undefined;
}

export function blankLeaseRequest(): LeaseRequest {
  return { ...blankEvent(), token: undefined, requestId: undefined, waitMs: undefined };
}

export function resetLeaseRequest(request: LeaseRequest): void {
  resetEvent(request);
  request.token = undefined;
  request.requestId = undefined;
  request.waitMs = undefined;
}
