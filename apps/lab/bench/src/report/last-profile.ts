import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CpuProfile, flameGraph } from './flame-graph.ts';

/** The newest profile of `what` in a folder, as a flame graph. @throws Error where there is none */
export function drawLastProfile(folder: string, what: string, title: string): string {
  const found = readdirSync(folder)
    .filter((name) => name.startsWith(`${what}-`) && name.endsWith('.cpuprofile'))
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
  const last = found.at(-1);
  if (last === undefined)
    throw new Error(`no profile of ${what} in ${folder}: that benchmark measures it in no process of its own`);
  return flameGraph(title, JSON.parse(readFileSync(last, 'utf8')) as CpuProfile);
}
