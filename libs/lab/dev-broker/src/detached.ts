// A broker that runs on after the command that started it: `flatline broker start`, `stop`, `status`.
import { Fatal, Misconfigured } from '@flatline/base';
import { fork } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BrokerMode, type BrokerState, readState, stateFileOf, survivorsOf } from './broker-state.ts';
import { defaultDataDir, makeDataDir } from './data-directory.ts';
import { detachedOptions } from './detached-options.ts';
import { type KeeperReport } from './keeper-report.ts';
import { askBrokers } from './metadata-probe.ts';
import { isAlive, signalIdentified } from './process-identity.ts';
import { type BrokerOptions, silent } from './running-broker.ts';
import type { SecuredListener } from './secured/secured-properties.ts';
import { makeStateFolder, workspaceOf } from './workspace.ts';

/** The supervisor's own limit, and time for it to remove its state. In milliseconds. */
const STOP_WITHIN_MS = 20_000;
const POLL_MS = 50;

export interface BrokerStatus {
  readonly dataDir: string;
  readonly bootstrap: string;
  readonly registryUrl: string | undefined;
  /** Listeners that require TLS or a login; empty unless it was started `secure`. */
  readonly listeners: readonly SecuredListener[];
  readonly source: 'container' | 'java';
  /** `owned`: belongs to a program (the demo, tests) and ends with it. */
  readonly mode: BrokerMode;
  /** `pid` is undefined for containers and for a node that does not run; `answers`: speaks Kafka at this moment. */
  readonly nodes: readonly {
    readonly id: number;
    readonly port: number;
    readonly pid: number | undefined;
    readonly answers: boolean;
  }[];
}

/**
 * Starts a broker that runs until `stopDetached`, on port 9092 unless another is asked for. Returns the one that already runs in
 * the data directory if it fits the request. Throws `Fatal`.
 */
export async function startDetached(
  options: Omit<BrokerOptions, 'ephemeral' | 'signal'> = {},
): Promise<BrokerStatus & { readonly alreadyRan: boolean }> {
  const dataDir = dataDirOf(options.dataDir);
  const running = await statusDetached(dataDir);
  if (running !== undefined) {
    assertAsAsked(running, options);
    assertWhole(running);
    return { ...running, alreadyRan: true };
  }
  if (options.dataDir === undefined) makeStateFolder(workspaceOf(import.meta.url));
  makeDataDir(dataDir);
  const { log = silent, ...rest } = options;
  await keep(detachedOptions(rest, dataDir), dataDir, log);
  const started = await statusDetached(dataDir);
  if (started === undefined)
    throw new Fatal(`the broker in ${dataDir} was ready and ended at once: see node-1/broker.log there`);
  return { ...started, alreadyRan: false };
}

/** Undefined if none runs in this data directory (default: the workspace's). */
export async function statusDetached(dataDir?: string): Promise<BrokerStatus | undefined> {
  const folder = dataDirOf(dataDir);
  const state = readState(folder);
  if (state === undefined || !isAlive(state.supervisor)) return undefined;
  const { bootstrap, registryUrl, listeners = [], source, mode } = state;
  const nodes = await Promise.all(
    bootstrap.split(',').map(async (address, index) => {
      const [host = '', port = ''] = address.split(':');
      const pid = state.processes.find(({ name }) => name === `node-${index + 1}`)?.identity?.pid;
      const answer = await askBrokers({ host, port: Number(port) });
      return { id: index + 1, port: Number(port), pid, answers: answer !== undefined };
    }),
  );
  return { dataDir: folder, bootstrap, registryUrl, listeners, source, mode, nodes };
}

/**
 * Stops the broker in this data directory (default: the workspace's), even one that a program owns, and the remains of a killed
 * supervisor. False if nothing ran. Data stays.
 */
export async function stopDetached(dataDir?: string): Promise<boolean> {
  const folder = dataDirOf(dataDir);
  const state = readState(folder);
  if (state === undefined) return false;
  const ran = survivorsOf(state).length > 0;
  // Without its supervisor there is nothing left to forward a signal.
  if (!signalIdentified(state.supervisor, 'SIGTERM')) killSurvivors(state);
  const killAt = performance.now() + STOP_WITHIN_MS;
  while (survivorsOf(state).length > 0) {
    if (performance.now() > killAt) killSurvivors(state);
    await delay(POLL_MS);
  }
  rmSync(stateFileOf(folder), { force: true });
  return ran;
}

function killSurvivors(state: BrokerState): void {
  for (const survivor of survivorsOf(state)) signalIdentified(survivor, 'SIGKILL');
}

/** The directory in which the commands for a broker look: the one named, else the workspace's. */
export function dataDirOf(dataDir: string | undefined): string {
  return resolve(dataDir ?? defaultDataDir(workspaceOf(import.meta.url)));
}

function assertAsAsked(running: BrokerStatus, { port, nodes, registry, secure }: BrokerOptions): void {
  const asked = [
    ...(port !== undefined && running.nodes[0]?.port !== port ? [`port ${port}`] : []),
    ...(nodes !== undefined && running.nodes.length !== nodes ? [`${nodes} node(s)`] : []),
    ...(registry === true && running.registryUrl === undefined ? ['a registry'] : []),
    ...(secure === true && running.listeners.length === 0 ? ['secured listeners'] : []),
  ];
  if (asked.length === 0) return;
  throw new Misconfigured(
    `a broker already runs at ${running.bootstrap} without ${asked.join(' and ')}: stop it first, or choose another data directory`,
  );
}

/** A killed node is not restarted automatically: its supervisor keeps the others. */
function assertWhole({ bootstrap, nodes, dataDir }: BrokerStatus): void {
  const dead = nodes.filter(({ answers }) => !answers).map(({ id }) => `node ${id}`);
  if (dead.length === 0) return;
  throw new Misconfigured(
    `the broker at ${bootstrap} runs already, and ${dead.join(' and ')} of it does not answer: stop it (flatline broker stop) ` +
      `and start it again; logs are in ${dataDir}`,
  );
}

/** Resolves when the keeper's broker is ready, and detaches; rejects with the keeper's reason otherwise. */
async function keep(options: BrokerOptions, dataDir: string, log: (line: string) => void): Promise<void> {
  const source = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(source ? './keeper.ts' : './keeper.js', import.meta.url));
  const output = openSync(join(dataDir, 'keeper.log'), 'a');
  const keeper = fork(script, [JSON.stringify(options)], {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
    execArgv: source ? ['--conditions=@flatline/source', '--disable-warning=ExperimentalWarning'] : [],
    cwd: dataDir,
  });
  closeSync(output);
  await new Promise<void>((ready, failed) => {
    keeper.on('message', (message) => {
      const report = message as KeeperReport;
      if (report.kind === 'log') log(report.line);
      else if (report.kind === 'ready') ready();
      else failed(report.misconfigured ? new Misconfigured(report.message) : new Fatal(report.message));
    });
    keeper.on('error', failed);
    keeper.on('exit', (code) => {
      failed(
        new Fatal(`the keeper of the broker ended (exit code ${code ?? 'none'}): see ${join(dataDir, 'keeper.log')}`),
      );
    });
  });
  if (keeper.connected) keeper.disconnect();
  keeper.unref();
}
