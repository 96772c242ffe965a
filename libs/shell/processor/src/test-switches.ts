// What tests set from outside to end this process at a chosen place, or to see a rule broken without its guard.
//
//   FLATLINE_FAILPOINT=commit.endSent:7         SIGKILL to itself at the seventh pass
//   FLATLINE_FAILPOINT=input.read:20:block=800  holds the event loop for 800 ms at the twentieth
//   FLATLINE_TEST_UNSAFE=look-up                a guard is off: data will be wrong
import { armFailpoint, type Clock, type Failpoint, FAILPOINTS, Fatal, GUARDS, switchGuardOff } from '@flatline/base';
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

/** Does nothing, and costs nothing later, where neither variable is set. @throws Fatal */
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
  const guard = environment['FLATLINE_TEST_UNSAFE'] ?? '';
  if (guard === '') return;
  const known = GUARDS.find((each) => each === guard);
  if (known === undefined)
    throw new Fatal(`FLATLINE_TEST_UNSAFE=${guard} is none of ${GUARDS.join(', ')}. It is for tests: unset it`);
  switchGuardOff(known);
  log.error('a guard is switched off: this process will write wrong data', { guard });
}

function holdLoop(clock: Clock, forMs: number): void {
  const until = clock.monotonicMs() + forMs;
  while (clock.monotonicMs() < until);
}
