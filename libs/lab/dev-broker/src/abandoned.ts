// Remains of a broker whose supervisor was killed from outside: processes without a parent, temporary folders.
import { Fatal } from '@flatline/base';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readState, stateFileOf, survivorsOf } from './broker-state.ts';
import { isAlive, signalIdentified } from './process-identity.ts';

const POLL_MS = 20;
/** A folder without a state is either being made or abandoned; nothing takes this long to make. In milliseconds. */
const UNCLAIMED_FOR_MS = 3_600_000;

/** Ends processes that outlived their supervisor in this data directory. Throws `Fatal` if a broker runs in it. */
export async function claimDataDir(dataDir: string): Promise<void> {
  const state = readState(dataDir);
  if (state === undefined) return;
  if (isAlive(state.supervisor))
    throw new Fatal(
      `a broker already runs in ${dataDir} at ${state.bootstrap} (process ${state.supervisor.pid}): ` +
        'stop it, or choose another data directory',
    );
  for (const orphan of survivorsOf(state)) signalIdentified(orphan, 'SIGKILL');
  while (survivorsOf(state).length > 0) await delay(POLL_MS);
  rmSync(stateFileOf(dataDir), { force: true });
}

/** Removes temporary data directories whose broker is gone, and ends its remaining processes. */
export async function sweepEphemeral(prefix: string, now: number): Promise<void> {
  const folder = dirname(prefix);
  const names = readdirSync(folder).filter((name) => name.startsWith(basename(prefix)));
  for (const dataDir of names.map((name) => join(folder, name))) {
    const state = readState(dataDir);
    if (state === undefined ? !isOld(dataDir, now) : isAlive(state.supervisor)) continue;
    await claimDataDir(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function isOld(dataDir: string, now: number): boolean {
  const changed = statSync(dataDir, { throwIfNoEntry: false })?.mtimeMs;
  return changed !== undefined && now - changed > UNCLAIMED_FOR_MS;
}
