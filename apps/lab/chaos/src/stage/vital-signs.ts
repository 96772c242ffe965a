// A processor's own status over HTTP, and the system's figures for its memory.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Child } from './child.ts';

export interface VitalSigns {
  /** Input records not yet applied, over all partitions. */
  readonly lag: number;
  readonly liveEntries: number;
  /** Anonymous memory: the system may drop mapped files. Undefined if not available. */
  readonly anonymousBytes: number | undefined;
}

const ANSWER_WITHIN_MS = 5_000;

/** Undefined if no answer comes in time: it may just be stopped. */
export async function vitalSigns(processor: Child, httpPort: number): Promise<VitalSigns | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const answer = await fetch(`http://127.0.0.1:${httpPort}/api/v1/partitions`, { signal });
    const { partitions } = (await answer.json()) as {
      readonly partitions: readonly {
        readonly lag?: number;
        readonly liveEntries: number;
      }[];
    };
    const sum = (of: (each: (typeof partitions)[number]) => number): number =>
      partitions.reduce((total, each) => total + of(each), 0);
    return {
      lag: sum(({ lag }) => lag ?? 0),
      liveEntries: sum(({ liveEntries }) => liveEntries),
      anonymousBytes: anonymousBytesOf(processor.pid),
    };
  } catch {
    return undefined; // the next look tells
  }
}

/** On Linux only. */
function anonymousBytesOf(pid: number | undefined): number | undefined {
  try {
    const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
    return found === null ? undefined : Number(found[1]) * 1024;
  } catch {
    return undefined;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(address !== null && typeof address === 'object' ? address.port : 0);
      });
    });
  });
}
