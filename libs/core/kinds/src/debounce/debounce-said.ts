import { type SaidWords, texts } from '../said-words.ts';

/** By reason, and `batch.fired`. */
export const debounceSaid: SaidWords = {
  all: ['LEADING', 'QUIET', 'WINDOW', 'MAX_WAIT', 'MAX_ITEMS', 'MAX_BYTES', 'FLUSHED', 'CANCELLED', 'batch.fired'],
  nameOf: ({ reason }) => (typeof reason === 'string' ? { type: 'batch.fired', names: texts(reason) } : undefined),
  idOf: ({ windowId, reason, part }) =>
    typeof windowId === 'string' ? [windowId, String(reason), Number(part)] : undefined,
};
