// The clock moves by the first record that is still to be read, and entries that fall due by it are written before the record itself
// is applied. An unclean election may remove the record just then: the commits before it stand, all of them below the loss,
// so the partition goes on (R3), and the clock that they state rests on evidence which no log has any more.
import type { LogRecord, Simulation } from '@flatline/cluster';
import { INPUT } from '../pipeline-names.ts';
import { commitsOf } from './decisions.ts';

/** `before`: the partition's input before the election; undefined: there was none. */
export function isClockByLostRecord(
  simulation: Simulation,
  partition: number,
  before: readonly LogRecord[] | undefined,
): boolean {
  if (before === undefined) return false;
  const kept = new Map(simulation.log.committed(INPUT, partition).map(({ offset, timestamp }) => [offset, timestamp]));
  const lost = before.filter(({ offset, timestamp }) => kept.get(offset) !== timestamp);
  return commitsOf(simulation, partition).some(({ header: { position, clock } }) =>
    lost.some(({ offset, timestamp }) => offset >= position && timestamp === clock),
  );
}
