// A process id alone names nothing: it is reused. Pid and start time together name one process of one boot.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal only for the same process of the same boot. */
  readonly startedAt: string;
}

/** Field 22 of /proc/<pid>/stat, or undefined for a zombie. The name in field 2 may hold spaces and parentheses. */
export function startTicksOf(stat: string): string | undefined {
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = afterName;
  return state === 'Z' || state === 'X' ? undefined : afterName[19];
}

/** Undefined when no such process lives, or when the platform cannot tell its start time. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** True only for the very process that was identified, never for another that has since got its pid. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** Signals the identified process; false if it is gone, even if another one has its pid now. */
export function signalIdentified(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch {
    return false; // it ended between the look and the signal
  }
}

function startFromProc(pid: number): string | undefined {
  try {
    const ticks = startTicksOf(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return ticks === undefined
      ? undefined
      : `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${ticks}`;
  } catch {
    return undefined; // no such process
  }
}

function startFromPs(pid: number): string | undefined {
  try {
    const answer = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return answer === '' ? undefined : answer;
  } catch {
    return undefined; // no such process, or no ps
  }
}
