// A local store that stands beyond the end of its changelog: either the log has lost what the store has (R3), or the log is
// another one, begun after the store's was given up (`reset`, and a topic that was created again), and the store is dropped (R2).
import { MalformedBytes } from '@flatline/base';
import { decodeBlock } from '@flatline/partition';
import { changelogOf, inputOf } from '../task-place.ts';
import { ChangelogTail } from './changelog-tail.ts';
import { brokenLog, Distrusted } from './distrust.ts';
import type { StoreLoadParts } from './store-load.ts';

interface FormerLogParts extends StoreLoadParts {
  readonly abandon: AbortSignal;
}

/**
 * Explains a restoration that found the log to end too soon: a store of another log, or a log that is broken; undefined:
 * the store does not stand beyond its end. @throws Retriable
 */
export async function beyondTheEnd(parts: FormerLogParts): Promise<Error | undefined> {
  const { store, ports, settings } = parts;
  const checkpoint = store.state()?.checkpoint;
  if (checkpoint === undefined) return undefined;
  const { logStartOffset, lastStableOffset } = await ports.admin.ends(changelogOf(parts));
  const { changelogPosition, logId } = checkpoint;
  if (changelogPosition <= lastStableOffset) return undefined;
  const named = await logIdFrom(parts, logStartOffset);
  if (named === undefined ? !(await isKnownToGroup(parts)) : named !== logId) {
    const why =
      named === undefined
        ? `group ${settings.group} knows of no commit of this partition`
        : `its commits are of log ${named}`;
    return new Distrusted('given-up', `it stands at ${changelogPosition} of a changelog that was given up: ${why}`);
  }
  return brokenLog(parts, `the local store stands at ${changelogPosition}, the log ends at ${lastStableOffset}`);
}

/** Every commit names its log; undefined: there is none, or something else lies there. */
async function logIdFrom(parts: FormerLogParts, logStartOffset: number): Promise<string | undefined> {
  let found: string | undefined;
  const tail = new ChangelogTail(parts.ports, changelogOf(parts), logStartOffset);
  try {
    await tail.readToEnd((bytes) => {
      const block = decodeBlock(bytes);
      if (block.kind === 'state') found = block.header.logId;
      return found === undefined;
    }, parts.abandon);
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
  } finally {
    tail.close();
  }
  return found;
}

/** Each commit writes both, changelog and offset: where the group still has the one, the other was lost, not given up. */
async function isKnownToGroup(parts: FormerLogParts): Promise<boolean> {
  const { ports, settings } = parts;
  return (await ports.admin.committedOffset(settings.group, inputOf(parts))) !== undefined;
}
