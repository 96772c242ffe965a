// Looks for erased keys in a partition's changelog (E1).
import type { LogRecord, Simulation } from '@flatline/cluster';
import { CHANGELOG, INPUT } from '../pipeline-names.ts';
import { blockIn } from './decisions.ts';
import { lettersOf } from './expectation.ts';

const ERASE = 'ERASE';
const utf8 = new TextDecoder();

/**
 * Once the first commit that is left has applied an act, no block that is left names its key, unless records behind the act did. The
 * bytes of the whole block are looked at: whatever operation it is, a key stands there as it is.
 */
export function checkErasures(simulation: Simulation, partition: number, furtherInputs: readonly string[]): string[] {
  const left = simulation.log.committed(CHANGELOG, partition).flatMap((record) => {
    const block = blockIn(record);
    return block.kind === 'claim' ? [] : [{ position: block.header.position, record }];
  });
  const from = left[0]?.position ?? 0;
  const input = simulation.log.committed(INPUT, partition);
  const letters = lettersOf(simulation, partition);
  const isRefused = (offset: number): boolean =>
    letters.some(({ subject }) => subject?.topic === INPUT && subject.offset === offset);
  const others = furtherInputs.flatMap((topic) => simulation.log.committed(topic, partition));
  return input.flatMap((act) => {
    if (!isErasure(act) || act.offset >= from || isRefused(act.offset)) return [];
    simulation.faults.count('erased');
    if (input.some((later) => later.offset > act.offset && isOfKey(later, act.key!))) return [];
    // In which order they came with the act, their places tell: it is enough to look where there are none.
    if (others.some((other) => isOfKey(other, act.key!))) return [];
    simulation.faults.count('erasedForGood');
    return left
      .filter(({ record }) => holds(record.value!, act.key!))
      .map(
        ({ record }) =>
          `[E1] ${utf8.decode(act.key)} was erased at offset ${act.offset}, and stands in the changelog at ${record.offset}`,
      );
  });
}

function isErasure({ key, value, headers }: LogRecord): boolean {
  return (
    key !== null &&
    value === null &&
    headers.some((each) => each.name === 'flatline-command' && each.value !== null && utf8.decode(each.value) === ERASE)
  );
}

function isOfKey({ key }: LogRecord, wanted: Uint8Array): boolean {
  return key !== null && Buffer.compare(key, wanted) === 0;
}

/** With the length before it, as a bind has it: else `k1` would be found in `k10`. */
function holds(block: Uint8Array, key: Uint8Array): boolean {
  return Buffer.from(block).includes(Buffer.from([key.length, ...key]));
}
