// How dead letters are judged where a clock was overtaken (C3): no log tells then what lived when a record came.
import type { JudgedRules } from '@flatline/oracle';
import type { DeadLetterReason } from '@flatline/ports';

export interface WhateverLived {
  /** The kind's, by which no record is refused for what lived. */
  readonly rules: JudgedRules;
  /** Why the kind may have refused one for it: such letters are not judged. */
  readonly reasons: readonly DeadLetterReason[];
}

const ENDLESS = { entriesMax: Infinity, keyBytesMax: Infinity, stateBytesMax: Infinity };
const UNREDUCED: readonly DeadLetterReason[] = ['reducer-failed', 'reduced-too-large'];

/**
 * Takes away the bounds of room (I7). What a reducer refuses depends on what lives, too (S10): `unreduced` are the rules without it, and
 * `isReduced` says that there is one.
 */
export function whateverLived(unreduced: JudgedRules, isReduced = false): WhateverLived {
  return { rules: { ...unreduced, ...ENDLESS }, reasons: ['state-full', ...(isReduced ? UNREDUCED : [])] };
}
