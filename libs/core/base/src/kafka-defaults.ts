// Numbers, most of them Kafka's, that several packages have to agree on.
import type { DurationMs } from './time.ts';

/** Brokers' default of `max.message.bytes`: a larger batch is refused whole. */
export const MESSAGE_BYTES_MAX = 1_048_588;
/** Bytes of batches in one produce request, and so of one batch: 5 % below `MESSAGE_BYTES_MAX`. */
export const REQUEST_BYTES_MAX = 1_000_000;
/** Brokers' default of `transaction.max.timeout.ms`: no longer transaction timeout is granted. */
export const TRANSACTION_TIMEOUT_MAX_MS: DurationMs = 900_000;
/** Our default of a transaction's timeout, after which the broker aborts it. */
export const TRANSACTION_TIMEOUT_MS: DurationMs = 10_000;
/** The greatest `maxKeyBytes`: no pipeline takes a longer key. */
export const KEY_BYTES_MAX = 65_535;
