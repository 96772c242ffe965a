// A C program that reads the topic with the newest librdkafka and does nothing else: as fast as others' clients get.
import type { PeersAsked } from '../benchmark.ts';
import { join } from 'node:path';
import type { ContenderCost, ContenderTask, ProgramCost } from '../tasks/contender-task.ts';
import { findProgram, runProgram } from './programs.ts';
import { type Found, lookUp } from './peer.ts';
import { cProgram } from './peer-builds.ts';

export interface LibrdkafkaPeer {
  readonly versions: readonly string[];
  read(task: ContenderTask): Promise<ContenderCost>;
}

export function lookUpLibrdkafka(options: PeersAsked): Promise<Found<LibrdkafkaPeer>> {
  const python = findProgram('python3');
  return lookUp('librdkafka', options, {
    lacks: () => {
      if (process.platform !== 'linux') return Promise.resolve('it is built for Linux: run it there');
      const missing = ['gcc', 'python3'].filter((name) => findProgram(name) === undefined);
      return Promise.resolve(
        missing.length === 0 ? undefined : `no ${missing.join(', no ')}: install gcc and Python 3 with pip`,
      );
    },
    project: (workspace) => cProgram('librdkafka', workspace, python!),
    open: async (folder) => {
      const reader = join(folder, 'reader');
      const { version } = await runProgram<{ version: string }>(reader, ['version']);
      return {
        versions: [`librdkafka ${version}`],
        read: async ({ brokers, topic, partitions, records, warmUpRecords = 0 }) => {
          const args = [brokers.join(','), topic, ...[partitions, records, warmUpRecords].map(String)];
          return { ...(await runProgram<ProgramCost>(reader, args)), processor: undefined };
        },
      };
    },
  });
}
