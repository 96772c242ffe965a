// The sessions that are open, by the name of their key, and what their keys weigh.
import type { Session } from './naive-session.ts';
import { weightOf } from '../input-fold.ts';
import { textsSize } from './state-size.ts';

export class OpenSessions extends Map<string, Session> {
  /** Bytes of all keys, each rounded up to four (I7). */
  keyBytes = 0;
  /** Bytes of their texts; whoever changes a session's texts counts them. */
  textBytes = 0;

  override set(name: string, session: Session): this {
    if (!this.has(name)) {
      this.keyBytes += weightOf(name);
      this.textBytes += textsSize(session);
    }
    return super.set(name, session);
  }

  override delete(name: string): boolean {
    const session = this.get(name);
    if (session !== undefined) {
      this.keyBytes -= weightOf(name);
      this.textBytes -= textsSize(session);
    }
    return super.delete(name);
  }
}
