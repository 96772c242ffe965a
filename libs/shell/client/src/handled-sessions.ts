// Runs a handler for each closed session: again where it fails, and around what it never manages.
import { type Clock, type DurationMs, messageOf } from '@flatline/base';
import { pause } from '@flatline/system';

export interface Retries {
  /** How many times the handler is called for one session. Default 5. */
  readonly attempts?: number;
  /** Pause after the first failure, doubled after each further one. In milliseconds; default 100. */
  readonly firstMs?: DurationMs;
  /** The longest pause. In milliseconds; default 10 000. */
  readonly mostMs?: DurationMs;
}

export interface Handling<Session> {
  readonly clock: Clock;
  readonly handler: (session: Session) => unknown;
  readonly retries: Retries | undefined;
  /** Keeps what no attempt has managed. Without one its last error ends the handling. */
  readonly deadLetter: ((session: Session, why: string) => Promise<void>) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Ends by `signal`. @throws what the sessions throw, and the handler's last error where there are no dead letters. */
export async function handleEach<Session>(
  sessions: AsyncIterable<Session>,
  handling: Handling<Session>,
): Promise<void> {
  for await (const session of sessions) {
    const outcome = await attempt(session, handling);
    // Not handled: leaving the loop gives it to whoever goes on.
    if (outcome === 'aborted') return;
    if (outcome === 'handled') continue;
    if (handling.deadLetter === undefined) throw outcome.error;
    await handling.deadLetter(session, messageOf(outcome.error));
  }
}

async function attempt<Session>(
  session: Session,
  { clock, handler, retries = {}, signal }: Handling<Session>,
): Promise<'handled' | 'aborted' | { readonly error: unknown }> {
  const { attempts = 5, firstMs = 100, mostMs = 10_000 } = retries;
  for (let failed = 1, delayMs = firstMs; ; failed += 1, delayMs = Math.min(mostMs, delayMs * 2)) {
    try {
      await handler(session);
      return 'handled';
    } catch (error) {
      if (failed >= attempts) return { error };
    }
    await pause(clock, delayMs, signal);
    if (signal?.aborted === true) return 'aborted';
  }
}
