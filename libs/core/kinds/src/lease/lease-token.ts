// Fencing tokens: the epoch of the input, then the offset of the record that started the lease (L3).

/** Offsets below it have a token. Greater ones would be taken for those of a later epoch. */
export const TOKEN_OFFSETS = 2 ** 40;
export const TOKEN_EPOCH_MAX = 8191;

export function tokenOf(epoch: number, offset: number): number {
  return epoch * TOKEN_OFFSETS + offset;
}

export function offsetOf(token: number): number {
  return token % TOKEN_OFFSETS;
}
