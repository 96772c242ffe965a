// A clock moves by the first record that is still to be read, and what falls due by it is written before the record itself is
// taken. An unclean election may take the record away just then: the commits before it stand, all of them below what was lost,
// so that the partition goes on (R3), and the clock they state is by evidence of which no log tells any more.
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
