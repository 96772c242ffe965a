// Runs a handler for each output: again where it fails, and around what it never manages.
import { type Clock, type DurationMs, messageOf } from '@flatline/base';
import { pause } from '@flatline/system';

export interface Retries {
  /** How many times the handler is called for one output. Default 5. */
  readonly attempts?: number;
  /** Pause after the first failure, doubled after each further one. In milliseconds; default 100. */
  readonly firstMs?: DurationMs;
  /** The longest pause. In milliseconds; default 10 000. */
  readonly mostMs?: DurationMs;
}

export interface Handling<Output> {
  readonly clock: Clock;
  readonly handler: (output: Output) => unknown;
  readonly retries: Retries | undefined;
  /** Keeps what no attempt has managed. Without one its last error ends the handling. */
  readonly deadLetter: ((output: Output, why: string) => Promise<void>) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Ends by `signal`. @throws what the outputs throw, and the handler's last error where there are no dead letters. */
export async function handleEach<Output>(outputs: AsyncIterable<Output>, handling: Handling<Output>): Promise<void> {
  for await (const output of outputs) {
    const outcome = await attempt(output, handling);
    // Not handled: leaving the loop gives it to whoever goes on.
    if (outcome === 'aborted') return;
    if (outcome === 'handled') continue;
    if (handling.deadLetter === undefined) throw outcome.error;
    await handling.deadLetter(output, messageOf(outcome.error));
  }
}

async function attempt<Output>(
  output: Output,
  { clock, handler, retries = {}, signal }: Handling<Output>,
): Promise<'handled' | 'aborted' | { readonly error: unknown }> {
  const { attempts = 5, firstMs = 100, mostMs = 10_000 } = retries;
  for (let failed = 1, delayMs = firstMs; ; failed += 1, delayMs = Math.min(mostMs, delayMs * 2)) {
    try {
      await handler(output);
      return 'handled';
    } catch (error) {
      if (failed >= attempts) return { error };
    }
    await pause(clock, delayMs, signal);
    if (signal?.aborted === true) return 'aborted';
  }
}
