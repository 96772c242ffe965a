// Programs of this machine that a peer needs: where they are, which version, and what to do where they are missing.
import { Fatal } from '@flatline/base';
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const OUTPUT_BYTES_MAX = 64 << 20;
/** Lines of what a failed tool said that are shown. */
const LINES_MAX = 12;

/** Its path; undefined where it is neither on PATH nor in one of the folders that packages put it in. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...path, ...folders].map((folder) => join(folder, name)).find(isExecutable);
}

/** What a program says of itself, as far as the pattern's first group; `unknown` where it says nothing of the kind. */
export async function versionSaid(command: string, args: readonly string[], pattern: RegExp): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(command, args);
  return pattern.exec(stdout + stderr)?.[1] ?? 'unknown';
}

/** Runs a tool that builds or prepares something. @throws Fatal with the remedy, and the begin of what it said */
export async function runTool(
  command: string,
  args: readonly string[],
  {
    remedy,
    ...options
  }: { readonly remedy: string; readonly cwd?: string; readonly uid?: number; readonly gid?: number },
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { ...options, maxBuffer: OUTPUT_BYTES_MAX });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    const said = `${stderr}${stdout}`.trim().split('\n').slice(0, LINES_MAX).join('\n');
    throw new Fatal(`${command} failed: ${remedy}\n${said === '' ? message : said}`, error);
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run: the next folder
  }
}
