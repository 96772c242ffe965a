// The command line as a process: its streams, its signals, its end.
import { systemClock } from '@flatline/system';
import { launcherLink } from './launcher.ts';
import { endAtOnce, endBySelf } from './process-end.ts';
import { type DeveloperCommands, runCli } from './program.ts';
import { eitherStop, stopOnSignals } from './stop.ts';
import { numberedStream } from './terminal/numbered-stream.ts';
import { supervisorLink } from './workers/supervisor-link.ts';
import { workersOf } from './workers/worker-process.ts';

export interface ProcessOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: none, as in the package. */
  readonly developer?: DeveloperCommands;
}

/** The number that a supervisor adds to a command line. */
function workerIn(args: readonly string[]): number | undefined {
  const [flag, worker] = args.slice(-2);
  return flag === '--worker' ? Number(worker) : undefined;
}

/** Runs this process's command line; the process then ends with its exit code. */
export async function runProcess({ env, developer }: ProcessOptions): Promise<void> {
  const exit = (code: number): void => {
    endAtOnce(process, code);
  };
  // A reader that goes away (`flatline sessions tail | head`) is an ordinary end, not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    exit(error.code === 'EPIPE' ? 0 : 1);
  });
  // A terminal that was closed: SIGHUP asks to stop, and no error can be shown.
  process.stderr.on('error', () => undefined);

  // The Clock port's timers do not keep the process alive, and a command may wait on nothing else.
  const alive = setInterval(() => undefined, 2 ** 30);
  const args = process.argv.slice(2);
  const worker = workerIn(args);
  const supervisor = worker === undefined ? undefined : supervisorLink(process);
  const signalled = stopOnSignals({ on: (signal, listener) => process.on(signal, listener), exit }, systemClock);
  const launcher = worker === undefined ? launcherLink(process, systemClock) : undefined;
  const shell = {
    clock: systemClock,
    env,
    folder: process.cwd(),
    stdout: process.stdout,
    // JSON lines say the number themselves.
    stderr: worker === undefined || args.includes('--json') ? process.stderr : numberedStream(process.stderr, worker),
    stop: launcher === undefined ? signalled : eitherStop(signalled, launcher.stop),
    byNpx: launcher?.isNpx === true,
    localBroker: async () => (await import('./playground/local-broker.ts')).localBroker(),
    startWorker: workersOf(process),
    ...(supervisor && { supervisor }),
    onCrash: (report: (error: unknown) => number): void => {
      // Unhandled rejections come this way, too. Nothing may go on with the state it was found in.
      process.once('uncaughtException', (error) => {
        exit(report(error));
      });
    },
  };
  const exitCode = await runCli(args, shell, developer);
  clearInterval(alive);
  // Output that a pipe has not taken yet would be lost with the process.
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => {
      stream.write('', () => {
        resolve();
      });
    });
  launcher?.done(exitCode);
  endBySelf(process, exitCode, systemClock);
}
