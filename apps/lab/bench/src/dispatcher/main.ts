// Users served through some faults, for tests: node --conditions=@flatline/source main.ts CELLS SETTINGS, both as JSON. A line of JSON
// for each, what came of it; on the other stream a table.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onBenchCluster } from '../bench-cluster.ts';
import { pageText } from '../frame/page.ts';
import { type DispatcherSettings, type FaultCell, throughFault } from './dispatcher.ts';
import { DISPATCHER_PAGE, dispatcherRows, type DispatcherTurn } from './dispatcher-page.ts';

const [cells, settings] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown) as [
  readonly FaultCell[],
  DispatcherSettings,
];
const workDir = mkdtempSync(join(tmpdir(), 'flatline-dispatcher-'));
const onProgress = (what: string): void => {
  console.error(what);
};
const turns: DispatcherTurn[] = [];
await onBenchCluster({ onProgress }, async (cluster) => {
  for (const cell of cells) {
    onProgress(`${cell.fault}, ${cell.standbys} standbys`);
    const turn = await throughFault({ ...settings, ...cluster, workDir, onProgress }, cell);
    turns.push(turn);
    console.log(JSON.stringify(turn));
  }
});
onProgress(pageText(DISPATCHER_PAGE, dispatcherRows(turns)));
rmSync(workDir, { recursive: true, force: true });
process.exit(0);
