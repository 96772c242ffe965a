import { messageOf } from '@flatline/base';
import { accessTokenHash, newAccessToken } from '@flatline/system';
import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';

export interface TokenFlags {
  readonly name: string;
  readonly role: 'read' | 'admin';
  readonly tokenFile?: string;
  readonly hashFile?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
}

/** The owner's alone. */
const SECRET_MODE = 0o600;
const OPEN_MODE = 0o644;

/** @throws CommandFailure where a file is there already, or cannot be written */
export function runToken(
  { name, role, tokenFile, hashFile, keep = false }: TokenFlags,
  console: Console,
  { folder }: Shell,
): Promise<ExitCode> {
  if (keep && (tokenFile === undefined || hashFile === undefined))
    throw usageFailure('--keep needs --token-file and --hash-file');
  if (keep && [tokenFile, hashFile].every((file) => existsSync(resolve(folder, file!)))) {
    console.result({ name, role, tokenFile, hashFile, kept: true }, `${tokenFile} and ${hashFile} are there already`);
    return Promise.resolve(ExitCode.ok);
  }
  const token = newAccessToken();
  const hash = accessTokenHash(token);
  if (tokenFile !== undefined) write('--token-file', resolve(folder, tokenFile), token, SECRET_MODE);
  if (hashFile !== undefined) write('--hash-file', resolve(folder, hashFile), hash, OPEN_MODE);
  const shown = tokenFile === undefined ? { token } : { tokenFile };
  const setting = JSON.stringify({ name, role, hash: hashFile === undefined ? hash : { file: hashFile } });
  console.result(
    { name, role, ...shown, hash },
    [
      tokenFile === undefined ? `token, shown this once: ${token}` : `token: in ${tokenFile}`,
      `in http.auth.tokens of the configuration: ${setting}`,
    ].join('\n'),
  );
  return Promise.resolve(ExitCode.ok);
}

/** Not over another: a token that is written over is lost to its owner. */
function write(flag: string, path: string, text: string, mode: number): void {
  try {
    writeFileSync(path, `${text}\n`, { mode, flag: 'wx' });
  } catch (error) {
    throw usageFailure(`${flag} ${path} cannot be written (${messageOf(error)}): name a file that is not there yet`);
  }
}
