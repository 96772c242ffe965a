// The `flatline` command as a user runs it: a child process, its lines and its exit code.
import { fileURLToPath } from 'node:url';
import { type Finished, launch, type Running } from './child.fixture.ts';

const SOURCES = [
  '--conditions=@flatline/source',
  fileURLToPath(new URL('../../../cli/src/developer/main.ts', import.meta.url)),
];
const BUNDLE = [process.env['E2E_COMMAND'] ?? ''];

/** With options for Node it runs from its sources, which they may edit (`source-edits`). */
export function flatline(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const program = 'NODE_OPTIONS' in env ? SOURCES : BUNDLE;
  return launch(process.execPath, [...program, ...args], { env: { NO_COLOR: '1', ...env } });
}

/** Runs a command to its end; an unexpected exit code is an error that shows the output. */
export async function succeed(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished> {
  const finished = await flatline(args, env).finished;
  if (finished.code !== 0)
    throw new Error(`flatline ${args.join(' ')} ended with ${finished.code}\n${finished.stdout}\n${finished.stderr}`);
  return finished;
}
