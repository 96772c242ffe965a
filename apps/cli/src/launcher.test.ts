import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type LaunchedProcess, launcherLink } from './launcher.ts';

const PID = 9;
const PARENT = 7;
const byNpx = (script: string) => ({ env: { npm_lifecycle_event: 'npx', npm_lifecycle_script: script } });

function launched(told: Partial<LaunchedProcess> = {}) {
  const simulation = new Simulation({ seed: 1 });
  const { clock } = simulation.start('host').ports;
  const listeners = new Map<string, (message?: unknown) => void>();
  const sent: unknown[] = [];
  const process = {
    pid: PID,
    ppid: PARENT,
    connected: true,
    send: (message: unknown) => sent.push(message),
    on: (event: string, listener: (message?: unknown) => void) => listeners.set(event, listener),
    ...told,
    env: { ...told.env },
  };
  const { stop, done, isNpx } = launcherLink(process, clock);
  return {
    isNpx,
    sent,
    done,
    inherited: process.env,
    isStopped: () => stop.signal.aborted,
    hear: (message: unknown) => listeners.get('message')?.(message),
    disconnect: () => listeners.get('disconnect')?.(),
    passed: (ms: number) => simulation.time.runFor(ms),
    orphan: () => {
      process.ppid = 1;
    },
  };
}

describe('the launcher of a process', () => {
  test('is npx where npx says that it runs flatline', () => {
    const env = (script: string): Record<string, string> => ({
      npm_lifecycle_event: 'npx',
      npm_lifecycle_script: script,
    });
    const all = [env('flatline'), env('"flatline" "doctor"'), env('node other.js'), {}];
    expect(all.map((told) => launched({ env: told }).isNpx)).toEqual([true, true, false, false]);
  });

  test('stops it by its death, where it has said over the channel whose launcher it is', () => {
    const process = launched();
    process.hear({ launcherOf: PID });
    expect(process.isStopped()).toBe(false);
    process.disconnect();
    expect(process.isStopped()).toBe(true);
  });

  test('that was gone before it was heard stops it, too', () => {
    const process = launched();
    process.disconnect();
    process.hear({ launcherOf: PID });
    expect(process.isStopped()).toBe(true);
  });

  test('is no program that forks it with a channel of its own and leaves it alone', () => {
    for (const said of [undefined, null, 'hello', { launcherOf: PID - 1 }, { kind: 'ask' }]) {
      const process = launched();
      process.hear(said);
      process.disconnect();
      process.done(0);
      expect([process.isStopped(), process.sent]).toEqual([false, []]);
    }
  });

  test('is told that all is done', () => {
    const process = launched();
    process.hear({ launcherOf: PID });
    process.done(2);
    expect(process.sent).toEqual([{ doneWith: 2 }]);
    const hasty = launched();
    hasty.done(0);
    hasty.hear({ launcherOf: PID });
    expect(hasty.sent).toEqual([{ doneWith: 0 }]);
  });

  test('is no npx that started another program, which started this one', async () => {
    const orphaned = async (script: string): Promise<boolean> => {
      const process = launched({ ...byNpx(script), send: undefined });
      process.orphan();
      await process.passed(500);
      return process.isStopped();
    };
    for (const script of ["'turbo'", 'bash', "'@flatline/other'", "'flatline-other'"])
      expect(await orphaned(script)).toBe(false);
    for (const script of ['flatline', "'flatline'", '"flatline"', 'X=1 flatline run', "'/shop/bin/flatline'"])
      expect(await orphaned(script)).toBe(true);
  });

  test('is none for what this process starts', () => {
    expect(launched(byNpx('flatline')).inherited).toEqual({});
  });

  test('npx stops it by its death, which shows by another parent', async () => {
    const process = launched(byNpx("'flatline'"));
    await process.passed(60_000);
    expect(process.isStopped()).toBe(false);
    process.orphan();
    await process.passed(500);
    expect(process.isStopped()).toBe(true);
  });

  test('is none where a shell or a supervisor of the system has started it: they may end before', async () => {
    const process = launched({ env: { npm_lifecycle_event: 'start' }, send: undefined });
    process.orphan();
    await process.passed(60_000);
    expect(process.isStopped()).toBe(false);
  });
});

describe('a program that a launcher has started', () => {
  const launcher = fileURLToPath(new URL('../../../scripts/launch.mjs', import.meta.url));
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const launching = (...args: readonly string[]): string =>
    `(await import(${JSON.stringify(launcher)})).launch('node', ${JSON.stringify(args)});`;

  test('is ended once it has said that it is done, with its own code', async () => {
    const stuck = 'process.reallyExit = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
    const leftOpen = "(await import('node:net')).createServer().listen(0, '127.0.0.1');";
    const preload = `data:text/javascript,${encodeURIComponent(stuck + leftOpen)}`;
    const line = ['config', 'check', '--config', '/nowhere/flatline.config.json'];
    const program = launching('--conditions=@flatline/source', '--import', preload, main, ...line);
    const started = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
    expect(await once(started, 'exit')).toEqual([2, null]);
  });

  test('and forks this one, detached, leaves it running when it disconnects', async () => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    const connected = once(silent, 'connection');
    const KAFKA_BROKERS = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const forking =
      `const child = require('node:child_process').fork(${JSON.stringify(main)}, ['sessions', 'tail', '--topic', 'in'], ` +
      "{ detached: true, execArgv: ['--conditions=@flatline/source'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }); " +
      'console.log(child.pid); child.disconnect(); child.unref();';
    const env = { ...process.env, KAFKA_BROKERS };
    const program = launching('--eval', forking);
    const started = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = Number(await text(started.stdout));
    try {
      await connected;
      expect(process.kill(pid, 0)).toBe(true);
    } finally {
      process.kill(pid, 'SIGKILL');
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
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
