import { messageOf, Misconfigured, Retriable } from '@flatline/base';
import { statfsSync } from 'node:fs';
import { codeOf } from './foreign-error.ts';

/** Errors that pass once space is freed, files are closed or the device is repaired. */
const passing: readonly string[] = [
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
  'EINTR',
];
const spaceNeeded: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];
/** Below this many free bytes a failed write is taken for a full disk, whatever error it came with. */
const FULL_DISK_BYTES = 1 << 20;

/** Translates an error of node:fs at a state directory. */
export function fileSystemError(directory: string, error: unknown): Retriable | Misconfigured {
  const code = codeOf(error);
  if (spaceNeeded.includes(code)) return diskFull(directory, error);
  const detail = messageOf(error);
  if (passing.includes(code)) return new Retriable(`state directory ${directory}: ${detail}`, error);
  return new Misconfigured(
    `state directory ${directory}: ${detail}; it must be a directory that this process may write to (stateDir)`,
    error,
  );
}

export function diskFull(directory: string, cause: unknown): Retriable {
  return new Retriable(`state directory ${directory}: no space left; free some, or move it (stateDir)`, cause);
}

export function isDiskFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < FULL_DISK_BYTES;
  } catch {
    return false; // the error that led here says more than this one
  }
}
