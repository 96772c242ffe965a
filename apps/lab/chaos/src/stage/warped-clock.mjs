// Preloaded into a processor: its wall clock is wrong from the fourth second on; its monotonic clock is not.
const warpAfterMs = 4_000;
const stepMs = 50 * 60_000;
const trueNow = Date.now.bind(Date);
const from = performance.now();
const frozenAt = trueNow() + warpAfterMs;

const wrong = {
  forward: () => trueNow() + stepMs,
  back: () => trueNow() - stepMs,
  // A second in every ten is lost.
  drift: () => trueNow() - (performance.now() - from - warpAfterMs) / 10,
  frozen: () => frozenAt,
}[process.env['WARPED_CLOCK']];

Date.now = () => (performance.now() - from < warpAfterMs ? trueNow() : Math.floor(wrong()));
process.stderr.write(`clock warped: ${process.env['WARPED_CLOCK']}\n`);
