// Turns signals into a request to stop, and a second one into an exit.
//
// Ctrl-C reaches every process of a terminal's foreground group, and a launcher (npm, scripts/run.mjs) passes its own
// copy on: one key press can arrive twice. Signals close together therefore count as one.
import type { Clock, DurationMs } from '@flatline/base';
import { pause } from '@flatline/system';
import { ExitCode } from './exit-code.ts';

export interface Stop {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves with the first signal. */
  readonly requested: Promise<void>;
}

/** A launcher's copy of Ctrl-C comes within milliseconds; two presses in haste are further apart. */
const ONE_KEY_PRESS_MS = 200;
/** A launcher that was orphaned passes its SIGTERM on only when it next looks. */
const ONE_REQUEST_MS = 700;
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof stopSignals)[number];

/** The part of a process that is needed; Node's `process` is one. */
export interface SignalSource {
  on(signal: StopSignal, listener: () => void): unknown;
  exit(code: number): void;
}

export function stopOnSignals(source: SignalSource, clock: Clock): Stop {
  const controller = new AbortController();
  let firstAtMs: number | undefined;
  const onSignal = (oneRequestMs: DurationMs): void => {
    if (firstAtMs === undefined) {
      firstAtMs = clock.monotonicMs();
      controller.abort();
    } else if (clock.monotonicMs() - firstAtMs > oneRequestMs) source.exit(ExitCode.interrupted);
  };
  for (const signal of stopSignals)
    source.on(signal, () => {
      onSignal(signal === 'SIGINT' ? ONE_KEY_PRESS_MS : ONE_REQUEST_MS);
    });
  return { signal: controller.signal, requested: aborted(controller.signal) };
}

/** Resolves with undefined where the request to stop comes first; a later failure of `waited` is ignored. */
export function unlessStopped<T>(waited: Promise<T>, { requested }: Stop): Promise<T | undefined> {
  return Promise.race([waited, requested.then(() => undefined)]);
}

/** How long an orderly end may take once a person has asked for it; whatever is left ends with the process. */
const END_WITHIN_MS: DurationMs = 500;

/** Resolves when `ending` does, or when a request to stop has been waiting for too long. */
export async function withinPatience(
  ending: Promise<unknown>,
  stop: Stop,
  clock: Clock,
  withinMs = END_WITHIN_MS,
): Promise<void> {
  await Promise.race([ending, stop.requested.then(() => pause(clock, withinMs))]);
}

/** Whichever of two comes first. */
export function eitherStop(one: Stop, other: Stop): Stop {
  return {
    signal: AbortSignal.any([one.signal, other.signal]),
    requested: Promise.race([one.requested, other.requested]),
  };
}

/** A request that code makes. */
export function requestableStop(): { readonly stop: Stop; readonly request: () => void } {
  const controller = new AbortController();
  const request = (): void => {
    controller.abort();
  };
  return { stop: { signal: controller.signal, requested: aborted(controller.signal) }, request };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
