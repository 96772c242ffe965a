import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Names one boot of this machine; undefined where the platform does not tell. Pages written without fsync survive the
 * death of a process, since the kernel has them, but not the kernel's own: this tells the two apart (R2).
 */
export function currentBootId(): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (process.platform === 'darwin')
      return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
    return undefined;
  } catch {
    return undefined; // an unclean store is then never trusted: slower, not wrong
  }
}
