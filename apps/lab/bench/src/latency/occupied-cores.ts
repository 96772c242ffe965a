// A machine that has other things to do: a process for each of its cores that never rests.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { bindToExit } from '../exit-bound.ts';

/** Until what it returns is called. */
export function occupyCores(): () => void {
  const script = import.meta.filename.replace(/occupied-cores(\.\w+)$/, 'occupying-process$1');
  const processes = Array.from({ length: availableParallelism() }, () => bindToExit(fork(script)));
  return () => {
    for (const each of processes) each.kill('SIGKILL');
  };
}
