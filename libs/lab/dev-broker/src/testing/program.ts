import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs JavaScript in a separate process, where `lib` is this library and `say(value)` prints a line. Resolves with the
 * process and the first value printed.
 */
export async function program(
  source: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly child: ChildProcess; readonly said: unknown }> {
  const index = JSON.stringify(new URL('../index.ts', import.meta.url).href);
  const text = `import * as lib from ${index};\nconst say = (value) => console.log(JSON.stringify(value));\n${source}`;
  const child = spawn(process.execPath, ['--conditions=@flatline/source', '--input-type=module', '-e', text], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, said: JSON.parse(line) };
}

/** Resolves when the condition holds; the test's own timeout is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(20);
}
