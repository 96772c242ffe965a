// The command line as a process: its streams, its signals, its end.
import { systemClock } from '@flatline/system';
import { type DeveloperCommands, runCli } from './program.ts';
import { stopOnSignals } from './stop.ts';

export interface ProcessOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: none, as in the package. */
  readonly developer?: DeveloperCommands;
}

/** Runs this process's command line, and ends the process with its exit code. */
export async function runProcess({ env, developer }: ProcessOptions): Promise<never> {
  // A reader that goes away (`flatline sessions tail | head`) is an ordinary end, not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  // A terminal that was closed: SIGHUP asks to stop, and no error can be shown.
  process.stderr.on('error', () => undefined);

  // The Clock port's timers do not keep the process alive, and a command may wait on nothing else.
  const alive = setInterval(() => undefined, 2 ** 30);
  const shell = {
    clock: systemClock,
    env,
    folder: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    stop: stopOnSignals(process, systemClock),
    onCrash: (report: (error: unknown) => number): void => {
      // Unhandled rejections come this way, too. Nothing may go on with the state it was found in.
      process.once('uncaughtException', (error) => process.exit(report(error)));
    },
  };
  const exitCode = await runCli(process.argv.slice(2), shell, developer);
  clearInterval(alive);
  // What a pipe has not taken yet would end with the process. Connections may linger.
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => {
      stream.write('', () => {
        resolve();
      });
    });
  process.exit(exitCode);
}
