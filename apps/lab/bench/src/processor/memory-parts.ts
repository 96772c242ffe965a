// How much memory a process holds, by what backs it.
import { readFileSync } from 'node:fs';

export interface MemoryParts {
  readonly rssBytes: number;
  /** Backed by no file, so freed only with the process: heap, arrays, shared buffers, thread stacks. */
  readonly anonymousBytes: number;
  /** Pages of files, which the kernel may drop at any time: the local store's, and the program's own code. */
  readonly fileBytes: number;
}

/** This process's memory after garbage collection; run Node with `--expose-gc`. */
export function settledMemory(): MemoryParts {
  collectGarbage();
  return memoryNow();
}

export function collectGarbage(): void {
  globalThis.gc?.();
  // Array buffers found dead by the first collection are given back by the next.
  globalThis.gc?.();
}

/** Parts are told apart on Linux only. */
export function memoryNow(): MemoryParts {
  if (process.platform !== 'linux') {
    const rssBytes = process.memoryUsage.rss();
    return { rssBytes, anonymousBytes: rssBytes, fileBytes: 0 };
  }
  return memoryParts(readFileSync('/proc/self/status', 'utf8'));
}

/** @param status what `/proc/<pid>/status` says. */
export function memoryParts(status: string): MemoryParts {
  const bytes = (field: string): number =>
    1024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  return {
    rssBytes: bytes('VmRSS'),
    anonymousBytes: bytes('RssAnon') + bytes('RssShmem'),
    fileBytes: bytes('RssFile'),
  };
}
