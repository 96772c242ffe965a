// A C program that reads the topic with librdkafka and nothing else: as fast as others' clients get.
import type { BenchmarkOptions } from '../benchmark.ts';
import { join } from 'node:path';
import type { ContenderCost, ContenderTask } from '../throughput/contender-task.ts';
import { runProgram } from './external-program.ts';
import { findProgram, runTool } from './installed-program.ts';
import { type Found, lookUp } from './peer.ts';
import { cProgram } from './peer-builds.ts';

export interface LibrdkafkaPeer {
  readonly versions: readonly string[];
  read(task: ContenderTask): Promise<ContenderCost>;
}

const REMEDY = 'install gcc, pkg-config and librdkafka-dev';

export function lookUpLibrdkafka(
  options: Pick<BenchmarkOptions, 'peers' | 'onProgress'>,
): Promise<Found<LibrdkafkaPeer>> {
  const flags = async (): Promise<readonly string[]> =>
    (await runTool('pkg-config', ['--cflags', '--libs', 'rdkafka'], { remedy: REMEDY })).trim().split(/\s+/);
  return lookUp('librdkafka', options, {
    lacks: () => {
      const missing = ['gcc', 'pkg-config'].filter((name) => findProgram(name) === undefined);
      return Promise.resolve(missing.length === 0 ? undefined : `no ${missing.join(', no ')}: ${REMEDY}`);
    },
    project: (workspace) => cProgram('librdkafka', workspace, flags),
    open: async (folder) => {
      const reader = join(folder, 'reader');
      const { version } = await runProgram<{ version: string }>(reader, ['version']);
      return {
        versions: [`librdkafka ${version}`],
        read: async ({ brokers, topic, partitions, records, warmUpRecords = 0 }) => {
          const args = [brokers.join(','), topic, ...[partitions, records, warmUpRecords].map(String)];
          return { ...(await runProgram<Omit<ContenderCost, 'processor'>>(reader, args)), processor: undefined };
        },
      };
    },
  });
}
