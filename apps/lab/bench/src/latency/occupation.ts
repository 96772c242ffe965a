// A core that has other things to do.

/** Long enough to be a burden, short enough to hear of the parent's end. */
const SEARCH_MS = 100;

/** Takes all the time of a core that this process is given, for ever. */
export async function occupyCore(): Promise<never> {
  let last = 0;
  for (;;) {
    const until = performance.now() + SEARCH_MS;
    while (performance.now() < until) last = Math.sqrt(last + 1);
    await new Promise(setImmediate);
  }
}
