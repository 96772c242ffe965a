// Runs the command line inside the test process: the same code as `main.ts`, with the streams caught.
import { systemClock } from '@flatline/system';
import { Writable } from 'node:stream';
import type { CommandContext } from './commands/context.ts';
import { Diagnosis } from './diagnosis/diagnosis.ts';
import { localBroker } from './playground/local-broker.ts';
import { developerCommands } from './developer/developer-commands.ts';
import { runCli } from './program.ts';
import type { Stop } from './stop.ts';

export interface CliRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Lines of standard output, parsed. */
  json(): unknown[];
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly folder?: string;
  readonly stdin?: NodeJS.ReadableStream;
  /** Aborted, it is what Ctrl-C is. */
  readonly stop?: AbortSignal;
  /** As the package runs it: without the commands of a checkout. */
  readonly packaged?: boolean;
}

export async function cli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { env = {}, folder = '/', stdin, stop = new AbortController().signal } = options;
  const [stdout, stderr] = [new Caught(), new Caught()];
  const shell = {
    clock: systemClock,
    env,
    folder,
    ...(stdin && { stdin }),
    stdout,
    stderr,
    stop: stopOf(stop),
    localBroker,
  };
  const exitCode = await runCli(args, shell, options.packaged === true ? undefined : developerCommands);
  const json = (): unknown[] =>
    stdout.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  return { exitCode, stdout: stdout.text, stderr: stderr.text, json };
}

/** With it, commands are parsed and none is run. */
export function inertContext(): CommandContext {
  const [stdout, stderr] = [new Caught(), new Caught()];
  const stop = stopOf(new AbortController().signal);
  return {
    shell: { clock: systemClock, env: {}, folder: '/', stdout, stderr, stop, localBroker },
    diagnosis: new Diagnosis({ clock: systemClock, args: [], version: '0.0.0' }),
    action: () => () => Promise.resolve(),
  };
}

class Caught extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

function stopOf(signal: AbortSignal): Stop {
  const requested = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
  return { signal, requested };
}
