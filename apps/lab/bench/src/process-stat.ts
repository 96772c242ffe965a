// The system's figures for a process: its CPU time, and its resident memory by what backs it.
import type { DurationMs } from '@flatline/base';
import { readdirSync, readFileSync } from 'node:fs';

export interface MemoryParts {
  readonly rssBytes: number;
  /** Backed by no file, so freed only with the process: heap, arrays, shared buffers, thread stacks. */
  readonly anonymousBytes: number;
  /** Pages of files, which the kernel may drop at any time: the local store's, and the program's own code. */
  readonly fileBytes: number;
}

/** Unit of /proc, the same on every Linux. */
const TICK_MS: DurationMs = 10;

/** CPU time of another process so far, of all its threads; undefined if the system does not tell, or it has ended. */
export function processCpuMs(pid: number | undefined): DurationMs | undefined {
  const stat = told(pid, 'stat');
  return stat === undefined ? undefined : statTimes(stat).cpuMs;
}

/** @param stat content of `/proc/<pid>/stat`, or of a thread's. */
export function statTimes(stat: string): { readonly name: string; readonly cpuMs: DurationMs } {
  // The second field is a name in brackets that may contain spaces; user and system time are the 14th and 15th.
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  return { name: stat.slice(stat.indexOf('(') + 1, end), cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
}

/** The threads of a process, by their ids. */
export interface ThreadSource {
  /** Threads that live now; none if the system does not tell. */
  threads(): readonly string[];
  /** Undefined if it has ended. */
  stat(thread: string): string | undefined;
}

export function threadsOf(pid: number | undefined): ThreadSource {
  return {
    threads: () => {
      if (process.platform !== 'linux' || pid === undefined) return [];
      try {
        return readdirSync(`/proc/${pid}/task`);
      } catch {
        return []; // it has ended
      }
    },
    stat: (thread) => told(pid, `task/${thread}/stat`),
  };
}

/** Undefined if the system does not tell, or the process has ended. */
export function processMemory(pid: number | undefined): MemoryParts | undefined {
  const status = told(pid, 'status');
  return status === undefined ? undefined : memoryParts(status);
}

/** Memory of this process. Its parts are distinguished on Linux only. */
export function ownMemory(): MemoryParts {
  const rssBytes = process.memoryUsage.rss();
  return processMemory(process.pid) ?? { rssBytes, anonymousBytes: rssBytes, fileBytes: 0 };
}

/** The same after garbage collection; run Node with `--expose-gc`. */
export function memoryAtRest(): MemoryParts {
  collectGarbage();
  return ownMemory();
}

export function collectGarbage(): void {
  globalThis.gc?.();
  // Array buffers found dead by the first collection are released by the next.
  globalThis.gc?.();
}

/** @param status content of `/proc/<pid>/status`. */
export function memoryParts(status: string): MemoryParts {
  const bytes = (field: string): number =>
    1024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  return {
    rssBytes: bytes('VmRSS'),
    anonymousBytes: bytes('RssAnon') + bytes('RssShmem'),
    fileBytes: bytes('RssFile'),
  };
}

function told(pid: number | undefined, what: 'stat' | 'status' | `task/${string}/stat`): string | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return undefined; // it has ended
  }
}

/** Begins to measure the CPU time of this process, all threads; the returned function gives it. */
export function beginCpu(): () => DurationMs {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
