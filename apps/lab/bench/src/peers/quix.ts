// Quix Streams, a stream processor on Python, as a contender.
import type { DurationMs } from '@flatline/base';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PeersAsked } from '../benchmark.ts';
import {
  type ContenderCost,
  type ContenderTask,
  type ProgramCost,
  WARM_UP_TIME_SHARE,
} from '../tasks/contender-task.ts';
import { findProgram, runProgram, versionSaid } from './programs.ts';
import { type Found, lookUp } from './peer.ts';
import { pythonPackage } from './peer-builds.ts';

/** It is measured by what it has done by then. */
const RUN_MAX_MS: DurationMs = 30_000;

export interface QuixPeer {
  readonly does: string;
  readonly lacks: string;
  readonly versions: readonly string[];
  process(task: ContenderTask, timeoutMs: DurationMs): Promise<ContenderCost>;
}

export function lookUpQuix(options: PeersAsked): Promise<Found<QuixPeer>> {
  const python = findProgram('python3');
  return lookUp('quix', options, {
    lacks: () => Promise.resolve(python === undefined ? 'no python3 on PATH: install Python 3.11' : undefined),
    project: (workspace) => pythonPackage('quix', workspace, python!),
    open: async (folder) => {
      const interpreter = join(folder, 'bin', 'python');
      const [, version] = /^quixstreams==(.+)$/m.exec(readFileSync(join(folder, 'requirements.txt'), 'utf8'))!;
      return {
        does: 'session windows, state on RocksDB with a changelog, exactly once, one process',
        lacks:
          "reading events' values, closes on a quiet partition (elsewhere they come twice the timeout after the last event)",
        versions: [
          `Python ${await versionSaid(interpreter, ['--version'], /([\d.]+)/)}`,
          `quixstreams ${version ?? 'unknown'}`,
        ],
        process: async (task, timeoutMs) => {
          const times = { timeoutMs, warmUpMs: WARM_UP_TIME_SHARE * RUN_MAX_MS, runMaxMs: RUN_MAX_MS };
          const given = JSON.stringify({ warmUpRecords: 0, ...task, ...times });
          // Silences the warnings of its imports.
          const args = ['-W', 'ignore', join(folder, 'main.py'), given];
          return { ...(await runProgram<ProgramCost>(interpreter, args)), processor: undefined };
        },
      };
    },
  });
}
