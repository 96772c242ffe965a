// A module of its own: what lies below the formats asks for it, too.
import type { SessionEntry } from './entry.ts';

/** As the timeout of an entry: its session has closed, and waits for revisions (S9). No open session has one below 0. */
export const CLOSED = -1;

export function isClosed({ timeoutMs }: Pick<SessionEntry, 'timeoutMs'>): boolean {
  return timeoutMs < 0;
}
