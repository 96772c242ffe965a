// Fencing tokens: the epoch of the input, then the offset of the record that started the lease, and one, so that none is 0 (L3).

/** Tokens of one epoch. */
const TOKENS = 2 ** 40;
/** Offsets below it have a token. Greater ones would be taken for those of a later epoch. */
export const TOKEN_OFFSETS: number = TOKENS - 1;
export const TOKEN_EPOCH_MAX = 8191;
/** No lease has it. */
export const NO_TOKEN = 0;

export function tokenOf(epoch: number, offset: number): number {
  return epoch * TOKENS + offset + 1;
}

/** A token without its epoch: what tells a lease from all others of its partition, as its incarnation. */
export function withinEpoch(token: number): number {
  return token % TOKENS;
}
