// What tests set from outside to end this process at a chosen place.
//
//   FLATLINE_FAILPOINT=commit.endSent:7         SIGKILL to itself at the seventh pass
//   FLATLINE_FAILPOINT=input.read:20:block=800  holds the event loop for 800 ms at the twentieth
import { armFailpoint, type Clock, type Failpoint, FAILPOINTS, Fatal } from '@flatline/base';
import type { RuntimeLog } from '@flatline/runtime';

export interface FailpointWish {
  readonly name: Failpoint;
  readonly passes: number;
  /** Undefined: the process ends. */
  readonly blockMs: number | undefined;
}

/** @throws Fatal naming the variable, its value and what is allowed. */
export function parseFailpoint(text: string): FailpointWish {
  const [, wanted, passes, blockMs] = /^([\w.]+):(\d+)(?::block=(\d+))?$/.exec(text) ?? [];
  const name = FAILPOINTS.find((each) => each === wanted);
  if (name === undefined || !(Number(passes) >= 1))
    throw new Fatal(
      `FLATLINE_FAILPOINT=${text} is not name:n or name:n:block=ms with n ≥ 1; names: ${FAILPOINTS.join(', ')}. ` +
        'It is for tests: unset it',
    );
  return { name, passes: Number(passes), blockMs: blockMs === undefined ? undefined : Number(blockMs) };
}

/** Does nothing, and costs nothing later, where it is not set. @throws Fatal */
export function applyTestSwitches(
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  log: RuntimeLog,
): void {
  const point = environment['FLATLINE_FAILPOINT'] ?? '';
  if (point !== '') {
    const { name, passes, blockMs } = parseFailpoint(point);
    armFailpoint(name, passes, () => {
      if (blockMs === undefined) process.kill(process.pid, 'SIGKILL');
      else {
        holdLoop(clock, blockMs);
        log.warn('the event loop was held', { failpoint: point });
      }
    });
    log.warn('a failpoint is armed: this process is under test', { failpoint: point });
  }
}

function holdLoop(clock: Clock, forMs: number): void {
  const until = clock.monotonicMs() + forMs;
  while (clock.monotonicMs() < until);
}
