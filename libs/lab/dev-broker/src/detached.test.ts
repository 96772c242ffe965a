import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readState, survivorsOf } from './broker-state.ts';
import { type BrokerStatus, startDetached, statusDetached, stopDetached } from './detached.ts';
import { askBrokers } from './metadata-probe.ts';
import { freePorts } from './ports.ts';
import { isAlive, signalIdentified } from './process-identity.ts';
import { program, until } from './testing/program.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const WITHIN_MS = 180_000;

describe('a detached broker', () => {
  const dataDir = temporaryFolder();
  let port = 0;

  beforeAll(async () => {
    [port] = (await freePorts(1)) as [number];
    const options = JSON.stringify({ dataDir, port, source: 'java' });
    const { child, said } = await program(`say(await lib.startDetached(${options}));`);
    expect(said).toMatchObject({ bootstrap: `127.0.0.1:${port}`, mode: 'detached', alreadyRan: false });
    if (child.exitCode === null) await once(child, 'exit');
  }, WITHIN_MS);

  afterAll(async () => {
    await stopDetached(dataDir);
    rmSync(dataDir, { recursive: true });
  }, WITHIN_MS);

  test('answers after the command that started it has ended', async () => {
    const status: BrokerStatus | undefined = await statusDetached(dataDir);
    expect(status?.nodes).toMatchObject([{ id: 1, port, answers: true }]);
    expect(await askBrokers({ host: '127.0.0.1', port })).toHaveLength(1);
  });

  test('is found and not started a second time', async () => {
    expect(await startDetached({ dataDir, port })).toMatchObject({ bootstrap: `127.0.0.1:${port}`, alreadyRan: true });
  });

  test('of another form than asked for is named, with what it lacks', async () => {
    await expect(startDetached({ dataDir, nodes: 3, registry: true })).rejects.toThrow(
      new RegExp(`runs at 127.0.0.1:${port} without 3 node.* and a registry: stop it first`),
    );
  });

  test(
    'stops, keeps its data for the next start, and knows that there is nothing more to stop',
    async () => {
      const processes = survivorsOf(readState(dataDir)!);
      expect(await stopDetached(dataDir)).toBe(true);
      expect(processes.filter(isAlive)).toEqual([]);
      expect(await statusDetached(dataDir)).toBeUndefined();
      expect(await stopDetached(dataDir)).toBe(false);
      expect(existsSync(join(dataDir, 'node-1', 'data', '__cluster_metadata-0'))).toBe(true);
    },
    WITHIN_MS,
  );

  test(
    'whose supervisor is killed with -9 leaves Java behind, which a stop still finds',
    async () => {
      await startDetached({ dataDir, port, source: 'java' });
      const state = readState(dataDir)!;
      const java = state.processes[0]!.identity!;
      signalIdentified(state.supervisor, 'SIGKILL');
      await until(() => !isAlive(state.supervisor));
      expect(isAlive(java)).toBe(true);
      expect(await statusDetached(dataDir)).toBeUndefined();
      expect(await stopDetached(dataDir)).toBe(true);
      expect(isAlive(java)).toBe(false);
    },
    WITHIN_MS,
  );

  test('that never was is neither running nor stopped', async () => {
    const empty = temporaryFolder();
    expect(await statusDetached(empty)).toBeUndefined();
    expect(await stopDetached(empty)).toBe(false);
  });
});
