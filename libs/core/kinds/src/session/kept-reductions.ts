// States of a reducer that a key's open sessions keep (S10).
import type { BytesSpan } from '../state-bytes.ts';
import { readFragments } from './disorder-bytes.ts';
import type { SessionWindow } from './session-window.ts';

export function reductionsOf(entry: SessionWindow): readonly BytesSpan[] {
  const details = entry.hasDisorder ? readFragments(entry).map(({ detail }) => detail) : [entry.detail];
  return details.flatMap((detail) => (detail?.reduced === undefined ? [] : [detail.reduced]));
}
