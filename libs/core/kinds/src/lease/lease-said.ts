import { type SaidWords, texts } from '../said-words.ts';

/** By type, reason, and `lease.<type>`. Answers have no ids: one request may be answered alike again. */
export const leaseSaid: SaidWords = {
  all: [
    'GRANTED',
    'REJECTED',
    'QUEUED',
    'EXPIRED',
    'RELEASED',
    'HELD',
    'NOT_HELD',
    'WRONG_TOKEN',
    'LOCK_DELAY',
    'QUEUE_FULL',
    'WAITED',
    'WITHDRAWN',
    'TIMEOUT',
    'MAX_DURATION',
    'REPLACED',
    'EVICTED',
    'lease.granted',
    'lease.rejected',
    'lease.queued',
    'lease.expired',
    'lease.released',
  ],
  nameOf: ({ type, reason }) =>
    typeof type === 'string' ? { type: `lease.${type.toLowerCase()}`, names: texts(type, reason) } : undefined,
};
