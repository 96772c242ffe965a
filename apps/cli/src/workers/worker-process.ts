// A worker as a process: this program once more, with the same command line and a number.
//
// It writes to its supervisor's streams itself: through a pipe its log would end with its supervisor, before it has drained.
import { fork } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';
import { ExitCode } from '../exit-code.ts';
import type { WorkerProcess } from './supervisor.ts';
import type { FromWorker } from './worker-messages.ts';
import { heapMebibytes } from './worker-limits.ts';

export interface WorkerOrder {
  readonly worker: number;
  /** How many there are: they share the machine's memory. */
  readonly of: number;
  readonly instance: string;
  readonly hear: (message: FromWorker) => void;
}

export type StartWorker = (order: WorkerOrder) => WorkerProcess;

/** Workers of `--workers auto`: the cores that this process may use, by affinity and cgroup. */
export function coresHere(): number {
  return availableParallelism();
}

/** Workers of `program`. They drain when it ends; ended by a second signal, it takes them along at once. */
export function workersOf(program: NodeJS.Process): StartWorker {
  const children = new Set<ReturnType<typeof fork>>();
  program.on('exit', (code) => {
    if (code === ExitCode.interrupted) for (const child of children) child.kill('SIGKILL');
  });
  return ({ worker, of, instance, hear }) => {
    const [, entry = '', ...args] = program.argv;
    const child = fork(entry, [...args, '--instance', instance, '--worker', String(worker)], {
      env: { MALLOC_ARENA_MAX: ARENAS, ...program.env },
      execArgv: [...program.execArgv, ...heapFlags(program, of)],
      // Views hold what JSON would drop.
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    children.add(child);
    child.on('message', (message) => {
      hear(message as FromWorker);
    });
    return {
      pid: child.pid,
      ended: new Promise((resolve) => {
        child.once('exit', (code, signal) => {
          children.delete(child);
          resolve({ code, signal });
        });
        child.on('error', () => {
          // It could not be started, or not be written to: without a process there is no exit.
          if (child.pid !== undefined) return;
          children.delete(child);
          resolve({ code: ExitCode.internal, signal: null });
        });
      }),
      send: (message) => {
        if (child.connected) child.send(message, () => undefined);
      },
    };
  };
}

/** glibc opens up to eight arenas a core, and each keeps what it once took: pages of sessions are large and few need them. */
const ARENAS = '2';

const HEAP_FLAG = /--max[-_]old[-_]space[-_]size/;

/** None where the user has set one. */
function heapFlags(program: NodeJS.Process, workers: number): readonly string[] {
  const given = [...program.execArgv, program.env['NODE_OPTIONS'] ?? ''];
  if (given.some((each) => HEAP_FLAG.test(each))) return [];
  const limit = program.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return [`--max-old-space-size=${heapMebibytes(bytes, workers)}`];
}
