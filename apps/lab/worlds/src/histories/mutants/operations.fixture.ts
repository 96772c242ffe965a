// Mutants of the changelog's operations, for any kind: one lost, too early, or of an entry that has gone.
import { KIND_LABS } from '@flatline/lab-kinds';
import {
  change,
  commits,
  type HistoryMutant,
  isBind,
  lastImageBefore,
  lastOf,
  mutant,
  namedOperations,
  operationsOf,
  removedForAWhile,
  sweptBind,
} from '@flatline/lab-kinds/histories';

export const OPERATIONS: readonly HistoryMutant[] = [
  mutant('K1', 'a slot is bound to another key, and its entry was not removed', ({ changelog }) => {
    const [first] = operationsOf(changelog.records).filter(isBind);
    change(lastOf(commits(changelog.records)), (block) => {
      const alive = namedOperations(changelog.records).alive.entries().next().value!;
      block.operations.push({ ...first!, slot: alive[0], key: Uint8Array.of(1, 2, 3) });
    });
  }),
  mutant('V11', 'an entry is resurrected', (partition) => {
    const { input, changelog } = partition;
    const { removing, key, later } = removedForAWhile(changelog.records, input.records);
    const { touched } = KIND_LABS[partition.kind].histories;
    const { head, pages } = lastImageBefore(changelog.records, touched, removing, key);
    const slot = 2 ** 24;
    change(later, (block) => {
      block.operations.push({ kind: 'bind', slot, key, head });
      for (const [page, bytes] of pages.entries()) block.operations.push({ kind: 'page', slot, page, at: 0, bytes });
    });
  }),
  mutant('K3', 'a sweep skips a base', ({ changelog }) => {
    const { record, slot } = sweptBind(changelog.records);
    change(record, (block) => {
      block.operations = block.operations.filter((each) => each.slot !== slot);
    });
  }),
];
