import { Fatal, namedMessageOf, PartitionStopped } from '@flatline/base';
import { RecordFailed } from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';
import type { RecordVerdict } from './record-failures.ts';

/** A task's reaction to something thrown, and its line in the log. */
export type FailureVerdict = (
  | { readonly kind: 'stop'; readonly why: string; readonly isMendable: boolean }
  | { readonly kind: 'endProcess'; readonly error: Fatal }
  /** The state, which may be half changed, is dropped, and the task begins again from the last commit. */
  | { readonly kind: 'restore'; readonly why: string }
) & { readonly message: string; readonly facts: Readonly<Record<string, unknown>> };

/** Where the task has come to in its input; undefined before it has a state. */
export interface FailurePlace extends TopicPartition {
  readonly position: number | undefined;
}

/** @param judge what to do about a record at which the task failed (RecordFailures) */
export function verdictOn(
  error: unknown,
  place: FailurePlace,
  judge: (failed: RecordFailed) => RecordVerdict,
): FailureVerdict {
  if (error instanceof PartitionStopped) {
    const why = error.message;
    return { kind: 'stop', why, isMendable: error.isMendable, message: 'partition stopped', facts: { why } };
  }
  if (error instanceof Fatal)
    return { kind: 'endProcess', error, message: 'the process cannot go on', facts: { error } };
  return verdictOnDefect(error instanceof Error ? error : new Error(String(error)), place, judge);
}

/** The error says nothing of what to do: a defect of this program, which a record may have brought about (I6). */
function verdictOnDefect(
  error: Error,
  place: FailurePlace,
  judge: (failed: RecordFailed) => RecordVerdict,
): FailureVerdict {
  const failed = error instanceof RecordFailed ? error : undefined;
  const next = failed === undefined ? 'stop' : judge(failed);
  const said = {
    message: 'task failed',
    facts: { ...place, offset: failed?.offset, next, error, stack: error.stack },
  };
  const at = failed === undefined ? `position ${place.position ?? 'unknown'}` : `offset ${failed.offset}`;
  const what = `${place.topic}/${place.partition} at ${at}: ${failed?.message ?? namedMessageOf(error)}`;
  if (next !== 'stop') return { ...said, kind: 'restore', why: `${what}; restoring to try again` };
  const why =
    `${what}. This is a defect of this program, not of the cluster; nothing is lost, the changelog stands at the last ` +
    'commit. Report it with this message; `flatline partitions restart` tries again';
  return { ...said, kind: 'stop', why, isMendable: false };
}
