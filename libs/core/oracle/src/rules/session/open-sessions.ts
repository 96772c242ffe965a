// The sessions that are open, by the name of their key, and what their keys weigh.
import type { Session } from './naive-session.ts';
import { bytesOf } from '../../logs/byte-names.ts';

export class OpenSessions extends Map<string, Session> {
  /** Bytes of all keys, each rounded up to four (I7). */
  keyBytes = 0;

  override set(name: string, session: Session): this {
    if (!this.has(name)) this.keyBytes += weightOf(name);
    return super.set(name, session);
  }

  override delete(name: string): boolean {
    if (this.has(name)) this.keyBytes -= weightOf(name);
    return super.delete(name);
  }
}

/** An empty key weighs four, too. */
export function weightOf(name: string): number {
  return Math.max(4, 4 * Math.ceil(bytesOf(name).length / 4));
}
