// The text of all metrics, in slices: while it is written, nothing else happens in the process.
import type { Registry } from '@prometheus-io/client';

/** Takes half a millisecond or so. A metric is never parted: one of 1 000 partitions is a slice of its own. */
const SLICE_LINES = 400;
/** A metric of one line may sum up all partitions. */
const SLICE_METRICS = 8;

/** In Prometheus' text format. Between two slices `turn` lets the loop do what else there is. */
export async function exposition(registry: Registry, turn: () => Promise<void>): Promise<string> {
  const texts: string[] = [];
  let [lines, metrics] = [0, 0];
  for (const { name } of registry.getMetricsAsArray()) {
    const text = await registry.getSingleMetricAsString(name);
    texts.push(text);
    lines += linesIn(text);
    metrics += 1;
    if (lines < SLICE_LINES && metrics < SLICE_METRICS) continue;
    [lines, metrics] = [0, 0];
    await turn();
  }
  return `${texts.join('\n\n')}\n`;
}

function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
