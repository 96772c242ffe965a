import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { claimDataDir, sweepEphemeral } from './abandoned.ts';
import { type BrokerState, stateFileOf, writeState } from './broker-state.ts';
import { identify, type ProcessIdentity } from './process-identity.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const dead: ProcessIdentity = { pid: process.pid, startedAt: 'an earlier process' };

const stateOf = (supervisor: ProcessIdentity, node: ProcessIdentity | undefined): BrokerState => ({
  bootstrap: '127.0.0.1:9092',
  ports: [9092],
  registryUrl: undefined,
  source: 'java',
  mode: 'owned',
  supervisor,
  processes: [{ name: 'node-1', identity: node }],
});

async function orphan(): Promise<{ readonly identity: ProcessIdentity; readonly exit: Promise<unknown[]> }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  return { identity: identify(child.pid ?? 0)!, exit: once(child, 'exit') };
}

describe('a data directory', () => {
  test('whose supervisor was killed is claimed, and what outlived it is ended', async () => {
    const dataDir = temporaryFolder();
    const { identity, exit } = await orphan();
    writeState(dataDir, stateOf(dead, identity));
    await claimDataDir(dataDir);
    expect((await exit)[1]).toBe('SIGKILL');
    expect(existsSync(stateFileOf(dataDir))).toBe(false);
  });

  test('whose supervisor lives is refused, naming address and process', async () => {
    const dataDir = temporaryFolder();
    writeState(dataDir, stateOf(identify(process.pid)!, undefined));
    await expect(claimDataDir(dataDir)).rejects.toThrow(`at 127.0.0.1:9092 (process ${process.pid})`);
    expect(existsSync(stateFileOf(dataDir))).toBe(true);
  });
});

test('the sweep removes temporary directories of dead brokers and leaves those in use or in the making', async () => {
  const prefix = join(temporaryFolder(), 'broker-');
  const abandoned = mkdtempSync(prefix);
  writeState(abandoned, stateOf(dead, dead));
  const used = mkdtempSync(prefix);
  writeState(used, stateOf(identify(process.pid)!, undefined));
  const beingMade = mkdtempSync(prefix);
  await sweepEphemeral(prefix, Date.now());
  expect([abandoned, used, beingMade].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  await sweepEphemeral(prefix, Date.now() + 2 * 3_600_000);
  expect([used, beingMade].map((folder) => existsSync(folder))).toEqual([true, false]);
});
