import type { FlatlineConfig } from '@flatline/config';
import { type DirectoryHold, LmdbStores } from '@flatline/store';

/** Takes the state directories of all pipelines for workers of this process. @throws StateInUse, Misconfigured: none is then held */
export function holdStateDirectories({ stateDir, application, pipelines }: FlatlineConfig): DirectoryHold {
  const held: DirectoryHold[] = [];
  const release = (): void => {
    for (const each of held.splice(0)) each.release();
  };
  try {
    for (const { name } of pipelines) held.push(LmdbStores.hold({ stateDir, application, pipeline: name }));
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}
