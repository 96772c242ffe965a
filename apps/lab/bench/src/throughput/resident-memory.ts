/** Resident bytes of this process once garbage is collected; run Node with `--expose-gc`. */
export function settledRss(): number {
  globalThis.gc?.();
  // Array buffers found dead by the first collection are given back by the next.
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
