import type { Clock } from '@flatline/base';
import type { ExitCode } from './exit-code.ts';
import type { Stop } from './stop.ts';
import { Console, type OutputStream } from './terminal/console.ts';
import type { StartWorker } from './workers/worker-process.ts';
import type { SupervisorLink } from './workers/supervisor-link.ts';

/** Where a broker answers. */
export interface BrokerAddresses {
  readonly bootstrap: string;
  readonly registryUrl: string | undefined;
}

/** The outside world as a command touches it. */
export interface Shell {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** Default: the process's. */
  readonly stdin?: NodeJS.ReadableStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stop: Stop;
  /** npx runs this process, so that commands in messages begin with it. */
  readonly byNpx?: boolean;
  /** The broker that `flatline broker start` left running here, if one does. Absent: none is looked for. */
  readonly localBroker?: () => Promise<BrokerAddresses | undefined>;
  /** Starts this program once more, as a worker; absent where it is no process of its own. */
  readonly startWorker?: StartWorker;
  /** To the supervisor that started this process; absent where none did. */
  readonly supervisor?: SupervisorLink;
  /** Is told what to do, at once and synchronously, with an uncaught error; it then ends the process. */
  onCrash?(report: (error: unknown) => ExitCode): void;
}

/** A command's work: flags in, exit code out. Throws what `failureOf` understands. */
export type CommandRun<Flags> = (flags: Flags, console: Console) => Promise<ExitCode>;

export function consoleOf(shell: Shell, json: boolean): Console {
  const { stdout, stderr, env, byNpx = false } = shell;
  return new Console({ stdout, stderr, env, json, byNpx });
}
