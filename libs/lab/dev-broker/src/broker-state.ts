// `state.json` of a data directory: the processes of its broker. Written only by that broker's supervisor, while that runs.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity } from './process-identity.ts';
import type { SecuredListener } from './secured/secured-properties.ts';

export interface ProcessState {
  /** `node-1`, `node-2`, `node-3`, `registry`. */
  readonly name: string;
  /** Undefined while it does not run. */
  readonly identity: ProcessIdentity | undefined;
}

export type BrokerMode = 'owned' | 'detached';

/** Facts that do not change while a broker runs. */
export interface BrokerFacts {
  readonly bootstrap: string;
  readonly ports: readonly number[];
  readonly registryUrl: string | undefined;
  /** Absent if the broker is not secured. */
  readonly listeners?: readonly SecuredListener[] | undefined;
  readonly source: 'container' | 'java';
  /** Dies with the process that started it, or runs until it is stopped. */
  readonly mode: BrokerMode;
}

export interface BrokerState extends BrokerFacts {
  /** Stops everything on SIGTERM and removes this file last. */
  readonly supervisor: ProcessIdentity;
  /** The processes that it runs; empty for containers, which their engine removes. */
  readonly processes: readonly ProcessState[];
}

/** Version of the file's format; a file of any other counts as absent. */
const FORM = 1;

export function stateFileOf(dataDir: string): string {
  return join(dataDir, 'state.json');
}

export function encodeState(state: BrokerState): string {
  return `${JSON.stringify({ form: FORM, ...state }, undefined, 2)}\n`;
}

/** Undefined if the text is not a state of this format: cut off, of another version, edited by hand. */
export function decodeState(text: string): BrokerState | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isState(value) ? value : undefined;
}

/** Undefined if there is none or it cannot be read. Its processes may have died since: see `isAlive`. */
export function readState(dataDir: string): BrokerState | undefined {
  try {
    return decodeState(readFileSync(stateFileOf(dataDir), 'utf8'));
  } catch {
    return undefined; // no file: nothing runs here
  }
}

/** Atomic for readers in other processes. */
export function writeState(dataDir: string, state: BrokerState): void {
  const file = stateFileOf(dataDir);
  writeFileSync(`${file}.new`, encodeState(state));
  renameSync(`${file}.new`, file);
}

/** The processes of the state that are still alive, including the supervisor. */
export function survivorsOf(state: BrokerState): ProcessIdentity[] {
  return [state.supervisor, ...state.processes.flatMap(({ identity }) => identity ?? [])].filter(isAlive);
}

function isState(value: unknown): value is BrokerState {
  if (!isRecord(value) || value['form'] !== FORM) return false;
  const { supervisor, processes, bootstrap, ports, source, mode } = value;
  return (
    typeof bootstrap === 'string' &&
    (source === 'container' || source === 'java') &&
    (mode === 'owned' || mode === 'detached') &&
    Array.isArray(ports) &&
    ports.every((port) => typeof port === 'number') &&
    isIdentity(supervisor) &&
    Array.isArray(processes) &&
    processes.every(
      (each) =>
        isRecord(each) &&
        typeof each['name'] === 'string' &&
        (each['identity'] === undefined || isIdentity(each['identity'])),
    )
  );
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return isRecord(value) && Number.isSafeInteger(value['pid']) && typeof value['startedAt'] === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
