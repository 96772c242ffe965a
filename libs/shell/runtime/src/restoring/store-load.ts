import { messageOf, Retriable } from '@flatline/base';
import type { Restoration } from '@flatline/partition';
import type { StoredGroup } from '@flatline/ports';
import { LOAD_BYTES_PER_TURN } from '../limits.ts';
import type { TaskContext } from '../task-context.ts';
import { kindOfLog } from '../log-id.ts';
import { LineageCheck } from './lineage-check.ts';
import type { TaskStore } from '../local-store/task-store.ts';
import { turn } from '../turn.ts';
import { Distrusted } from './distrust.ts';

/** Beginning of a restoration: how far the local store has brought it. */
export interface StorePosition {
  /** Everything below is in the store. */
  readonly position: number;
  /** One below it where the log still has that: to see the commit that the store stands at. */
  readonly readFrom: number;
  readonly lineage: LineageCheck;
  readonly isStored: boolean;
}

/** Loads the local store; without one, reading begins at the log's start. @throws Distrusted, Retriable */
export async function loadStore(
  { changelog, settings, ports, bounds }: TaskContext,
  store: TaskStore,
  restoration: Restoration,
  abandon: AbortSignal,
): Promise<StorePosition> {
  const { loadSlice, armSlice } = bounds;
  const { logStartOffset } = await ports.admin.ends(changelog);
  const state = store.state();
  if (state === undefined) {
    restoration.beginAt(logStartOffset);
    return {
      position: logStartOffset,
      readFrom: logStartOffset,
      lineage: new LineageCheck(undefined),
      isStored: false,
    };
  }
  const { checkpoint } = state;
  const { kind } = settings;
  const kept = kindOfLog(checkpoint.logId);
  if (kind !== undefined && kept !== undefined && kept !== kind)
    throw new Distrusted('given-up', `it holds entries of kind "${kept}"`);
  if (checkpoint.changelogPosition < logStartOffset)
    throw new Distrusted(
      'behind-log-start',
      `the checkpoint stands at ${checkpoint.changelogPosition}, the log starts at ${logStartOffset}`,
    );
  try {
    restoration.beginStored(checkpoint);
    let loaded = 0;
    let bytes = 0;
    for (const group of store.scan()) {
      restoration.loadStored(group);
      loaded += group.count;
      bytes += bytesOf(group);
      if (loaded < loadSlice && bytes < LOAD_BYTES_PER_TURN) continue;
      loaded = 0;
      bytes = 0;
      await turn(ports.turns);
      if (abandon.aborted) throw new Retriable('loading the local store was abandoned');
    }
    while (!restoration.finishStored(armSlice)) await turn(ports.turns);
  } catch (error) {
    if (error instanceof Retriable) throw error;
    throw new Distrusted('unreadable', messageOf(error));
  }
  const { changelogPosition: position } = checkpoint;
  const readFrom = Math.max(logStartOffset, position - 1);
  return { position, readFrom, lineage: new LineageCheck(checkpoint), isStored: true };
}

function bytesOf({ count, imageStarts, imageEnds }: StoredGroup): number {
  let bytes = 0;
  for (let i = 0; i < count; i += 1) bytes += imageEnds[i]! - imageStarts[i]!;
  return bytes;
}
