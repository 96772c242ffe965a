// A local store that stands beyond the end of its changelog: either the log has lost what the store has (R3), or the log is
// another one, begun after the store's was given up (`reset`, and a topic that was created again), and the store is dropped (R2).
import { MalformedBytes } from '@flatline/base';
import { decodeBlock } from '@flatline/partition';
import type { TaskContext } from '../task-context.ts';
import { ChangelogTail } from './changelog-tail.ts';
import { brokenLog, Distrusted } from './distrust.ts';
import type { TaskStore } from '../local-store/task-store.ts';

/**
 * Explains a restoration that found the log to end too soon: a store of another log, or a log that is broken; undefined:
 * the store does not stand beyond its end. @throws Retriable
 */
export async function beyondTheEnd(
  context: TaskContext,
  store: TaskStore,
  abandon: AbortSignal,
): Promise<Error | undefined> {
  const { changelog, ports, settings } = context;
  const checkpoint = store.state()?.checkpoint;
  if (checkpoint === undefined) return undefined;
  const { logStartOffset, lastStableOffset } = await ports.admin.ends(changelog);
  const { changelogPosition, logId } = checkpoint;
  if (changelogPosition <= lastStableOffset) return undefined;
  const named = await logIdFrom(context, logStartOffset, abandon);
  if (named === undefined ? !(await isKnownToGroup(context)) : named !== logId) {
    const why =
      named === undefined
        ? `group ${settings.group} knows of no commit of this partition`
        : `its commits are of log ${named}`;
    return new Distrusted('given-up', `it stands at ${changelogPosition} of a changelog that was given up: ${why}`);
  }
  return brokenLog(context, `the local store stands at ${changelogPosition}, the log ends at ${lastStableOffset}`);
}

/** Every commit names its log; undefined: there is none, or something else lies there. */
async function logIdFrom(
  { changelog, ports }: TaskContext,
  logStartOffset: number,
  abandon: AbortSignal,
): Promise<string | undefined> {
  let found: string | undefined;
  const tail = new ChangelogTail(ports, changelog, logStartOffset);
  try {
    await tail.readToEnd((bytes) => {
      const block = decodeBlock(bytes);
      if (block.kind === 'state') found = block.header.logId;
      return found === undefined;
    }, abandon);
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
  } finally {
    tail.close();
  }
  return found;
}

/** Each commit writes both, changelog and offset: where the group still has the one, the other was lost, not given up. */
async function isKnownToGroup({ input, ports, settings }: TaskContext): Promise<boolean> {
  return (await ports.admin.committedOffset(settings.group, input)) !== undefined;
}
