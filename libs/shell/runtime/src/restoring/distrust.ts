// State that cannot be trusted: local state, which the log replaces (R2), or the log, which nothing replaces (R3).
import { PartitionStopped } from '@flatline/base';
import type { StoreDistrust } from '@flatline/ports';
import type { TaskContext } from '../task-context.ts';

/** Local state that cannot be used after all: drop it, and read the log again from its start. */
export class Distrusted extends Error {
  readonly reason: StoreDistrust;
  constructor(reason: StoreDistrust, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** R3: no local state is to blame. */
export function brokenLog({ settings, partition }: TaskContext, why: string): PartitionStopped {
  return new PartitionStopped(
    `changelog ${settings.changelogTopic}/${partition} cannot be trusted: ${why}. Nothing was reset. Restore the topic; ` +
      `or use another application name and another output.topic, which begins with no state: leave this one's topics and group ${settings.group} as they are. ` +
      'Or give the state up: `flatline reset`, then `flatline topics create`, with every processor stopped, and it begins from startFrom, ' +
      'where what it closes again is written again',
  );
}
