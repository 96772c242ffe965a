// Turns signals into a request to stop, and a second one into an exit.
//
// Ctrl-C reaches every process of a terminal's foreground group, and a launcher (npm, scripts/run.mjs) passes its own
// copy on: one key press can arrive twice. Signals close together therefore count as one.
import type { Clock } from '@flatline/base';
import { ExitCode } from './exit-code.ts';

export interface Stop {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves with the first signal. */
  readonly requested: Promise<void>;
}

const ONE_KEY_PRESS_MS = 700;
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What of a process is needed; Node's `process` is one. */
export interface SignalSource {
  on(signal: (typeof stopSignals)[number], listener: () => void): unknown;
  exit(code: number): void;
}

export function stopOnSignals(source: SignalSource, clock: Clock): Stop {
  const controller = new AbortController();
  let firstAtMs: number | undefined;
  const onSignal = (): void => {
    if (firstAtMs === undefined) {
      firstAtMs = clock.monotonicMs();
      controller.abort();
    } else if (clock.monotonicMs() - firstAtMs > ONE_KEY_PRESS_MS) source.exit(ExitCode.interrupted);
  };
  for (const signal of stopSignals) source.on(signal, onSignal);
  return { signal: controller.signal, requested: aborted(controller.signal) };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
