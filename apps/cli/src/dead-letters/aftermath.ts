// Fate of records that a replay has put back into the input: applied, or refused again.
//
// Owns: waiting for it, for a while.
// Does not own: the replay.
//
// Invariants
//   AM1  "Refused again" and "read" are of the log: a letter and the position behind its record come in one transaction.
//   AM2  It ends within WAIT_MS, and at once where no processor runs: its group has no members.
import type { Clock, DurationMs } from '@flatline/base';
import { KafkaLogAdmin, KafkaLogScan } from '@flatline/kafka';
import type { TopicPartition } from '@flatline/ports';
import { pause } from '@flatline/system';
import type { Stop } from '../stop.ts';
import type { DeadLetterPipeline } from './letter-access.ts';
import type { LetterLog } from './letter-log.ts';
import { isReplayOf } from '@flatline/processor/letters';
import type { Replayed } from '@flatline/processor/letters';

export type Aftermath =
  /** No processor reads the input. */
  | { readonly kind: 'notRunning' }
  /** The processor has not read all of them yet. */
  | { readonly kind: 'unread' }
  /** `refused`: how many for which reason. */
  | { readonly kind: 'read'; readonly refused: ReadonlyMap<string, number> };

function placeNameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

const WAIT_MS: DurationMs = 15_000;
const LOOK_EVERY_MS: DurationMs = 250;

/** Input offsets of the replayed records, first and last, by partition of an input. */
export class ReplayedStretch {
  readonly byPartition = new Map<string, TopicPartition & { readonly first: number; last: number }>();

  add({ letter: { partition, origin }, inputOffset }: Replayed): void {
    const { topic } = origin;
    const name = placeNameOf({ topic, partition });
    const known = this.byPartition.get(name);
    if (known === undefined) this.byPartition.set(name, { topic, partition, first: inputOffset, last: inputOffset });
    else known.last = inputOffset;
  }
}

/** `before`: the dead letters as they were before the replay. @throws Retriable, Fatal */
export async function aftermathOf(
  { byPartition }: ReplayedStretch,
  letters: DeadLetterPipeline,
  before: LetterLog,
  { clock, stop }: { readonly clock: Clock; readonly stop: Stop },
): Promise<Aftermath> {
  const { connection, pipeline } = letters;
  const admin = new KafkaLogAdmin({ clock, connection });
  const scan = new KafkaLogScan({ clock, connection });
  if (!(await scan.hasMembers(pipeline.group))) return { kind: 'notRunning' };
  const until = clock.monotonicMs() + WAIT_MS;
  for (const { topic, partition, last } of byPartition.values())
    for (;;) {
      const place = { topic, partition };
      const committed = await admin.committedOffset(pipeline.group, place);
      if (committed !== undefined && committed.offset > last) break;
      if (stop.signal.aborted || clock.monotonicMs() >= until) return { kind: 'unread' };
      await pause(clock, LOOK_EVERY_MS, stop.signal);
    }
  const log = await letters.openLog();
  const refused = new Map<string, number>();
  for (const ends of log.ends) {
    const { partition } = ends;
    const isStretched = [...byPartition.values()].some((each) => each.partition === partition);
    if (!isStretched) continue;
    for await (const record of log.records(ends, before.ends[ends.partition]?.end ?? 0)) {
      if (record.kind !== 'letter' || !isReplayOf(record, log.topic)) continue;
      const { topic, offset, reason } = record.origin;
      const stretch = byPartition.get(placeNameOf({ topic, partition }));
      if (stretch === undefined || offset < stretch.first || offset > stretch.last) continue;
      refused.set(reason, (refused.get(reason) ?? 0) + 1);
    }
  }
  return { kind: 'read', refused };
}
