// Takes all the time of a core that it is given: `fork(this)`.
/** Long enough to be a burden, short enough to hear of the parent's end. */
const SEARCH_MS = 100;
let last = 0;

function search(): void {
  const until = performance.now() + SEARCH_MS;
  while (performance.now() < until) last = Math.sqrt(last + 1);
  setImmediate(search);
}

// Its parent is gone.
process.once('disconnect', () => process.exit(1));
search();
