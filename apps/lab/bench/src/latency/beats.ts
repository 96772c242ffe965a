import { type PacedProcess, startPaced } from '../paced-process.ts';
import type { BeatTask } from './latency-scenario.ts';

/** Heartbeats of all sessions in rounds, at a steady rate. */
export function startBeats(task: BeatTask): PacedProcess {
  return startPaced(import.meta.filename.replace(/beats(\.\w+)$/, 'beat-process$1'), task);
}
