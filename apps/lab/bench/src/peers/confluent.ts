// Confluent's client for Node, over librdkafka: from a prebuilt library if there is one, else built here.
import type { BuiltProject, Workspace } from '@flatline/dev-broker';
import { cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PeersAsked } from '../benchmark.ts';
import type { ServiceCost, ServiceTask } from '../tasks/service-task.ts';
import { type Found, lookUp } from './peer.ts';
import { findProgram, runProgram, runTool } from './programs.ts';

const NAME = '@confluentinc/kafka-javascript';

export interface ConfluentPeer {
  readonly versions: readonly string[];
  readonly serve: (task: ServiceTask) => Promise<ServiceCost>;
}

export function lookUpConfluent(options: PeersAsked): Promise<Found<ConfluentPeer>> {
  return lookUp('confluent', options, {
    lacks: () => {
      const missing = ['npm', 'make', 'g++'].filter((name) => findProgram(name) === undefined);
      return Promise.resolve(missing.length === 0 ? undefined : `no ${missing.join(', no ')}: install g++ and make`);
    },
    project: builtProject,
    open: async (folder) => {
      const script = join(folder, 'service.js');
      const manifest = readFileSync(join(folder, 'node_modules', NAME, 'package.json'), 'utf8');
      const { version } = JSON.parse(manifest) as { readonly version: string };
      const { librdkafka } = await runProgram<{ librdkafka: string }>(process.execPath, [script, 'version']);
      return {
        versions: [`${NAME} ${version}`, `librdkafka ${librdkafka}`],
        serve: (task) => runProgram<ServiceCost>(process.execPath, [script, JSON.stringify(task)]),
      };
    },
  });
}

function builtProject({ root }: Workspace): BuiltProject {
  const folder = join(root, 'apps', 'lab', 'bench', 'peers', 'confluent');
  return {
    name: 'peer-confluent',
    folder,
    tool: 'npm, and g++ where there is no prebuilt librdkafka (ten minutes)',
    build: async (into) => {
      cpSync(folder, into, { recursive: true });
      const remedy = 'check the network, or install g++, make, libssl-dev and zlib1g-dev';
      await runTool('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: into, remedy });
      const cwd = join(into, 'node_modules', NAME);
      const fetched = ['exec', '--offline', '--', 'node-pre-gyp', 'install'];
      // Linked with the libraries of this machine, since a static build fetches the sources of each; for this Node, with its headers.
      const headers = dirname(dirname(process.execPath));
      const build = `CKJS_LINKING=dynamic npm_config_nodedir='${headers}' node-pre-gyp install --build-from-source`;
      const built = ['exec', '--offline', '-c', build];
      await runTool('npm', fetched, { cwd, remedy }).catch(() => runTool('npm', built, { cwd, remedy }));
    },
  };
}
