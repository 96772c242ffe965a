/** Most workers of one supervisor. */
export const WORKERS_MAX = 256;

const MEBIBYTE = 1024 * 1024;
/** Sessions lie outside of the heap: it holds buffers and answers under way, about this much on a busy worker. */
const HEAP_LEAST = 256;
/** V8's own maximum. */
const HEAP_MOST = 4_096;

/** V8's heap of one worker: together at most half of the memory, the rest is for sessions. V8's own limit assumes it has all of it. */
export function heapMebibytes(memoryBytes: number, workers: number): number {
  const share = Math.floor(memoryBytes / MEBIBYTE / 2 / workers);
  return Math.min(Math.max(share, HEAP_LEAST), HEAP_MOST);
}
