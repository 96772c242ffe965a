import type { Refusal } from '../contract.ts';

/** S8: the input opens no session, and the key has none that the record is of. */
export const UNKNOWN_KEY: Refusal = {
  kind: 'bad',
  reason: 'unknown-key',
  detail: 'no session of the key lives, and the input has unknownKey: deadLetter',
};
