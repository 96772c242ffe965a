// Users served through some faults, for tests: node --conditions=@flatline/source main.ts CELLS SETTINGS, both as JSON. A line of JSON
// for each: what came of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onBenchCluster } from '../bench-cluster.ts';
import { type FaultCell, throughFault } from './dispatcher.ts';

const [cells, settings] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown) as [
  readonly FaultCell[],
  { readonly sessions: number; readonly events: number; readonly partitions: number },
];
const workDir = mkdtempSync(join(tmpdir(), 'flatline-dispatcher-'));
const onProgress = (what: string): void => {
  console.error(what);
};
await onBenchCluster({ onProgress }, async (cluster) => {
  for (const cell of cells) {
    onProgress(`${cell.fault}, ${cell.standbys} standbys`);
    const turn = await throughFault({ ...settings, repeats: 1, ...cluster, workDir, onProgress }, cell);
    console.log(JSON.stringify(turn));
  }
});
rmSync(workDir, { recursive: true, force: true });
process.exit(0);
