// A running task's answer for entries as one of its commits left them (Q3).
import { messageOf } from '@flatline/base';
import type { EntryWindow } from '@flatline/kinds';
import type { PartitionTask } from '@flatline/partition';
import type { CutLooks } from '../committing/cut-looks.ts';
import type { AsOf, EntryPage, EntryPageHow, EntryRow } from '../look-up.ts';

export interface PagedTask {
  readonly task: PartitionTask;
  readonly cutLooks: CutLooks;
  readonly partition: number;
}

interface Seen {
  readonly rows: readonly EntryRow[];
  readonly nextSlot: number | undefined;
  readonly bytes: number;
  readonly asOf: AsOf;
}

/** Resolves once what is answered is committed. */
export async function pageOf({ task, cutLooks, partition }: PagedTask, how: EntryPageHow): Promise<EntryPage> {
  try {
    const seen = await cutLooks.take(() => look(task, partition, how), how.abandon);
    if (seen === undefined)
      return { kind: 'moving', detail: 'the partition went to another instance while it was looked at' };
    const { looked, outputEnd } = seen;
    if (looked === undefined) return { kind: 'restoring', detail: 'a record made the task fail; it is restored' };
    return { kind: 'found', ...looked, outputEnd };
  } catch (error) {
    return { kind: 'restoring', detail: `it cannot be said now: ${messageOf(error)}` };
  }
}

/** undefined: the task is unsound. What is due and has yet to take effect is shown as it is: its output comes behind. */
function look(task: PartitionTask, partition: number, { asked, show }: EntryPageHow): Seen | undefined {
  const rows: EntryRow[] = [];
  const take = (key: Uint8Array, entry: EntryWindow): boolean => {
    const entries = show(entry, { partition, held: task.held });
    if (entries.length > 0) rows.push({ key, entries });
    return entries.length > 0;
  };
  const asOf = { clock: task.clock.now, position: task.input.position };
  if (asked instanceof Uint8Array) {
    const found = task.look(asked);
    if (found?.entry !== undefined) take(asked, found.entry);
    return found && { rows, nextSlot: undefined, bytes: 0, asOf };
  }
  const listed = task.list(asked, take);
  return listed && { rows, ...listed, asOf };
}
