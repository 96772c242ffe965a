import { PAGE_BYTES_MAX } from '../entries/page-arena.ts';
import { SETTINGS_BYTES_MAX } from './settings-history.ts';

/** A block's header but for settings, with ids, the names of its owner, and holds; the record batch that it is alone in; and a head. */
const AROUND_BYTES = 4_096;

/** The longest record of the changelog: a body is closed once it has `blockBytesMax`, and the last operation is a bind or a page. */
export function largestBlockBytes(maxKeyBytes: number, blockBytesMax: number): number {
  return AROUND_BYTES + SETTINGS_BYTES_MAX + blockBytesMax + Math.max(maxKeyBytes, PAGE_BYTES_MAX);
}
