// The `flatline` command as a user runs it: a child process, its lines and its exit code.
import { fileURLToPath } from 'node:url';
import { type Finished, launch, type Running } from './child.fixture.ts';

const ENTRY = fileURLToPath(new URL('../../../cli/src/developer/main.ts', import.meta.url));

export function flatline(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  return launch(process.execPath, ['--conditions=@flatline/source', ENTRY, ...args], {
    env: { NO_COLOR: '1', ...env },
  });
}

/** Runs a command to its end; an unexpected exit code is an error that shows what was printed. */
export async function succeed(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished> {
  const finished = await flatline(args, env).finished;
  if (finished.code !== 0)
    throw new Error(`flatline ${args.join(' ')} ended with ${finished.code}\n${finished.stdout}\n${finished.stderr}`);
  return finished;
}
