// Jest's `globalSetup` here: the broker, and the command of a checkout as one bundle, made like that of the package. The tests
// start it hundreds of times, and from its sources each start would compile them all.
//
// Plain JavaScript, because Jest imports this file with Node's own loader.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import setUpBroker from '@flatline/dev-broker/jest-setup';
import { bundle } from '../../../scripts/packing/bundle.ts';

const root = join(import.meta.dirname, '../../..');
const command = { folder: 'apps/cli', entry: 'src/index.ts', command: { entry: 'src/developer/main.ts' } };

export default async function setUp(globalConfig, projectConfig) {
  await setUpBroker(globalConfig, projectConfig);
  // Below the root, where the packages that no bundle can contain are found.
  mkdirSync(join(root, '.flatline'), { recursive: true });
  const folder = mkdtempSync(join(root, '.flatline', 'e2e-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  cpSync(join(root, 'schemas'), join(folder, 'schemas'), { recursive: true });
  cpSync(join(root, 'apps/dashboard/dist'), join(folder, 'dashboard'), { recursive: true });
  cpSync(join(root, command.folder, 'package.json'), join(folder, 'package.json'));
  await bundle(root, command, folder);
  process.env.E2E_COMMAND = join(folder, 'dist', 'main.js');
}
