// How this process ends. `process.exit` waits for V8's threads, of which one may wait for the main thread to collect garbage:
// then neither goes on, for ever (nodejs/node#54918, seen with Node 24 after a command's work was done). A process that ends by
// itself takes its heap down first, which lets them go.
import type { Clock, DurationMs } from '@flatline/base';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Time for closed connections to go away; whatever is left then has no say in when a command ends. In looks, so that a machine
 * too busy to run this process does not use it up.
 */
const LOOKS = 5;
const LOOK_EVERY_MS: DurationMs = 20;

/** The part of a process that is needed; Node's `process` is one. */
export interface EndingProcess {
  exitCode?: number | string | null | undefined;
  readonly channel?: { unref(): void } | null | undefined;
  exit(code: number): void;
}

/** Once nothing is left to do, by itself; soon, whatever is left. */
export function endBySelf(ending: EndingProcess, code: number, clock: Clock): void {
  ending.exitCode = code;
  // It is listened to, for the launcher's end.
  ending.channel?.unref();
  const look = (looks: number): void => {
    // It holds nothing up itself: where it fires, something is left.
    clock.after(LOOK_EVERY_MS, () => {
      if (looks < LOOKS) look(looks + 1);
      else endAtOnce(ending, code);
    });
  };
  look(1);
}

/** Before anything else can happen; with the code of what was done already, if it was. */
export function endAtOnce(ending: EndingProcess, code: number): void {
  // After a collection no thread needs another one for as long as an exit takes.
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  ending.exit(typeof ending.exitCode === 'number' ? ending.exitCode : code);
}
