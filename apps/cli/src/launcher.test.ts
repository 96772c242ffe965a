import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type LaunchedProcess, launcherStop } from './launcher.ts';

const PARENT = 7;
const THERE: readonly number[] = [PARENT, 8];
const byLauncher = { send: () => true, env: { LAUNCHER_OF_FLATLINE: String(PARENT) } };
const byNpx = (script: string) => ({ env: { npm_lifecycle_event: 'npx', npm_lifecycle_script: script } });

function launched(told: Partial<LaunchedProcess>) {
  const simulation = new Simulation({ seed: 1 });
  const { clock } = simulation.start('host').ports;
  let disconnect = (): void => undefined;
  const process = {
    ppid: PARENT,
    connected: true,
    on: (_event: 'disconnect', listener: () => void) => (disconnect = listener),
    kill: (pid: number) => {
      if (!THERE.includes(pid)) throw Object.assign(new Error('none'), { code: 'ESRCH' });
    },
    ...told,
    env: { ...told.env },
  };
  const stop = launcherStop(process, clock);
  return {
    isKnown: stop !== undefined,
    inherited: process.env,
    isStopped: () => stop?.signal.aborted,
    disconnect: () => {
      disconnect();
    },
    passed: (ms: number) => simulation.time.runFor(ms),
    orphan: () => {
      process.ppid = 1;
    },
  };
}

describe('the launcher of a process', () => {
  test('stops it by its death, where a channel tells of that', () => {
    const process = launched(byLauncher);
    expect(process.isStopped()).toBe(false);
    process.disconnect();
    expect(process.isStopped()).toBe(true);
    expect(launched({ ...byLauncher, connected: false }).isStopped()).toBe(true);
    // Its parent is another by now.
    expect(launched({ ...byLauncher, connected: false, ppid: 1, env: { LAUNCHER_OF_FLATLINE: '9' } }).isStopped()).toBe(
      true,
    );
  });

  test('is no program that forks it with a channel of its own, even where a launcher started that program', () => {
    expect(launched({ send: () => true }).isKnown).toBe(false);
    expect(launched({ send: () => true, env: { LAUNCHER_OF_FLATLINE: '8' } }).isKnown).toBe(false);
  });

  test('is no npx that started another program, which started this one', () => {
    for (const script of ["'turbo'", 'bash', "'@flatline/other'", "'flatline-other'"])
      expect(launched(byNpx(script)).isKnown).toBe(false);
    for (const script of ['flatline', "'flatline'", '"flatline"', 'X=1 flatline run', "'/shop/bin/flatline'"])
      expect(launched(byNpx(script)).isKnown).toBe(true);
  });

  test('is none for what this process starts', () => {
    expect(launched({ ...byLauncher, env: { ...byLauncher.env, ...byNpx('flatline').env } }).inherited).toEqual({});
  });

  test('npx stops it by its death, which shows by another parent', async () => {
    const process = launched(byNpx("'flatline'"));
    await process.passed(60_000);
    expect(process.isStopped()).toBe(false);
    process.orphan();
    await process.passed(500);
    expect(process.isStopped()).toBe(true);
  });

  test('is none where a shell or a supervisor of the system has started it: they may end before', () => {
    expect(launched({ env: { npm_lifecycle_event: 'start' } }).isKnown).toBe(false);
  });
});

describe('a command whose launcher is killed with -9', () => {
  const launcher = fileURLToPath(new URL('../bin/flatline.mjs', import.meta.url));
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const command = ['sessions', 'tail', '--topic', 'in'];
  /** As npx starts the command of a package, which has no launcher of its own: with a shell between that outlives it. */
  const line = [process.execPath, '--conditions=@flatline/source', main, ...command].join(' ');
  const npx = `process.title = 'npm exec flatline'; require('node:child_process').spawn('sh', ['-c', '${line}; exit'], { stdio: 'inherit' })`;

  test.each([
    ['that of a checkout', [launcher, ...command], undefined],
    ['npx', ['--eval', npx], 'npx'],
  ])('%s: ends, too, while it waits for a broker', async (_name, starting, npm_lifecycle_event) => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const connected = once(silent, 'connection');
    const KAFKA_BROKERS = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const env = { ...process.env, KAFKA_BROKERS, npm_lifecycle_event, npm_lifecycle_script: "'flatline'" };
    const started = spawn(process.execPath, starting, { cwd: tmpdir(), env, stdio: ['ignore', 'ignore', 'pipe'] });
    const said = text(started.stderr);
    try {
      await connected;
      started.kill('SIGKILL');
      // All that held its standard error have ended, and not because no broker answered.
      expect(await said).toContain('interrupted before a broker answered');
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});
