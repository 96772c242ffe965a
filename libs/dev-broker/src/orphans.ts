import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readState, stateFileOf, survivorsOf } from './broker-state.ts';
import { isAlive, signalIdentified } from './process-identity.ts';

const pollMs = 20;

/** Removes a state whose supervisor is gone, and ends what outlived it: only a supervisor killed from outside leaves that. */
export async function clearAbandoned(dataDir: string): Promise<void> {
  const state = readState(dataDir);
  if (state === undefined || isAlive(state.supervisor)) return;
  for (const orphan of survivorsOf(state)) signalIdentified(orphan, 'SIGKILL');
  while (survivorsOf(state).length > 0) await delay(pollMs);
  rmSync(stateFileOf(dataDir), { force: true });
}
