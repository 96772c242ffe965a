import { ENTRY_BYTES } from '../entry-bytes.ts';
import { IDENTITY_BYTES_MAX } from './item-identity.ts';
import { ITEM_STATE_BYTES } from './window-items.ts';

/** When the window opened, before its items; and the length of an identity. */
const NUMBERS_BYTES = 16;

/** Most that a window with one item, and a key of so many bytes, counts towards `maxStateBytes` beside the item's value. */
export function besideItemBytes(maxKeyBytes: number): number {
  return ENTRY_BYTES + Math.ceil(maxKeyBytes / 4) * 4 + NUMBERS_BYTES + ITEM_STATE_BYTES + IDENTITY_BYTES_MAX;
}
