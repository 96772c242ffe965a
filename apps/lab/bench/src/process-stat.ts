import type { DurationMs } from '@flatline/base';
import { readFileSync } from 'node:fs';

/** The unit of /proc, the same on every Linux there is. */
const TICK_MS: DurationMs = 10;

/** CPU time of another process so far, all its threads; undefined where the system does not tell, or it has ended. */
export function processCpuMs(pid: number | undefined): DurationMs | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in brackets that may hold spaces; user and system time are the 14th and 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined; // it has ended
  }
}

/** Resident bytes of another process; undefined where the system does not tell, or it has ended. */
export function processRssBytes(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  try {
    const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? undefined : Number(found[1]) * 1024;
  } catch {
    return undefined; // it has ended
  }
}
