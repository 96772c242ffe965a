// node --expose-gc --conditions=@flatline/source apps/lab/bench/src/wheel/main.ts [--json] [timers...]
import { benchWheel } from './wheel-benchmark.ts';
import { formatWheelReport } from './wheel-report.ts';

const args = process.argv.slice(2);
const sizes = args.filter((arg) => arg !== '--json').map(Number);
if (sizes.some((size) => !Number.isSafeInteger(size) || size < 1)) {
  console.error(`usage: main.ts [--json] [timers...], each a whole number from 1, not "${args.join(' ')}"`);
  process.exit(2);
}
const report = await benchWheel({
  ...(sizes.length > 0 && { sizes }),
  onProgress: (contender, timers) => {
    console.error(`measuring ${contender} at ${timers.toLocaleString('en')}`);
  },
});
console.log(args.includes('--json') ? JSON.stringify(report, undefined, 2) : formatWheelReport(report));
