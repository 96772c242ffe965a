// Keeps a core busy.

/** Long enough to be a burden, short enough to notice the parent's end. */
const SEARCH_MS = 100;

/** Uses all the CPU time that this process can get, for ever. */
export async function occupyCore(): Promise<never> {
  let last = 0;
  for (;;) {
    const until = performance.now() + SEARCH_MS;
    while (performance.now() < until) last = Math.sqrt(last + 1);
    await new Promise(setImmediate);
  }
}
