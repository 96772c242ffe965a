import { type SaidWords, texts } from '../said-words.ts';

/** By reason, state, and `session.<state>`. One that lives on is told apart by its last record. */
export const sessionSaid: SaidWords = {
  all: [
    'TIMEOUT',
    'ENDED',
    'MAX_DURATION',
    'EVICTED',
    'OPENED',
    'UPDATED',
    'CLOSED',
    'session.opened',
    'session.updated',
    'session.closed',
  ],
  nameOf: ({ state, reason }) =>
    typeof state === 'string' ? { type: `session.${state.toLowerCase()}`, names: texts(reason, state) } : undefined,
  idOf: ({ incarnation, revision, state, lastOffset }) => {
    if (typeof incarnation !== 'string') return undefined;
    return state === 'CLOSED' ? [incarnation, Number(revision ?? 0)] : [incarnation, String(state), Number(lastOffset)];
  },
};
