// Reads files, and reads them again after they have been replaced.
import { type Clock, type DurationMs, messageOf } from '@flatline/base';

/** Kubernetes, and tools that renew certificates, replace files some time before the old ones end. */
const REREAD_MS: DurationMs = 5_000;

export interface RereadOptions<T> {
  /** @throws Error naming what cannot be read */
  readonly read: () => T;
  /** Takes what is new. @throws Error where it cannot be used: what was before goes on, and it is tried again */
  readonly take: (value: T) => void;
  readonly clock: Pick<Clock, 'after'>;
  /** Called at each try that fails. */
  readonly onTrouble: (why: string) => void;
}

/** Reads now, takes it, and again and again. @throws what `read` and `take` do at the first time */
export function reread<T>({ read, take, clock, onTrouble }: RereadOptions<T>): () => void {
  const first = read();
  take(first);
  let taken = JSON.stringify(first);
  let cancel = clock.after(REREAD_MS, again);
  function again(): void {
    try {
      const value = read();
      const text = JSON.stringify(value);
      if (text !== taken) {
        take(value);
        taken = text;
      }
    } catch (error) {
      onTrouble(messageOf(error));
    }
    cancel = clock.after(REREAD_MS, again);
  }
  return () => {
    cancel();
  };
}
