// The operations of the changelog, where entries have pages: one lost, exchanged, too early.
import { type BlockOperation, nameOf } from '@flatline/oracle/anatomy';
import { takeApart } from '../block-editor.fixture.ts';
import {
  change,
  commits,
  isBind,
  isPage,
  lastImageBefore,
  namedOperations,
  operationsOf,
  type PageChange,
  removedForAWhile,
  sweptBind,
} from '../changelog-edits.fixture.ts';
import { lastOf, mutant, type Mutant } from './mutant.fixture.ts';

export const OPERATIONS: readonly Mutant[] = [
  mutant('V5', 'two entries have got the page of the other', ({ changelog }) => {
    const pairIn = (operations: readonly BlockOperation[]): readonly (PageChange | undefined)[] => {
      const [one, ...rest] = operations.filter(isPage);
      return [one, rest.find(({ bytes }) => one !== undefined && nameOf(bytes) !== nameOf(one.bytes))];
    };
    const record = commits(changelog.records).find(
      ({ value }) => pairIn(takeApart(value!)!.operations)[1] !== undefined,
    );
    change(record!, (block) => {
      const [one, other] = pairIn(block.operations);
      block.operations = block.operations.map((each) =>
        each === one ? { ...one, bytes: other!.bytes } : each === other ? { ...other, bytes: one!.bytes } : each,
      );
    });
  }),
  mutant('K1', 'a page comes before the bind of its entry', ({ changelog }) => {
    const record = commits(changelog.records).find(({ value }) => {
      const { operations } = takeApart(value!)!;
      return operations.some((each, at) => isPage(each) && isBind(operations[at - 1]!));
    });
    change(record!, (block) => {
      block.operations = [...block.operations.filter(isPage), ...block.operations.filter((each) => !isPage(each))];
    });
  }),
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
    const { head, pages } = lastImageBefore(partition, removing, key);
    const slot = 2 ** 24;
    change(later, (block) => {
      block.operations.push({ kind: 'bind', slot, key, head });
      for (const [page, bytes] of pages.entries()) block.operations.push({ kind: 'page', slot, page, at: 0, bytes });
    });
  }),
  mutant('K1', 'a removal comes before the last page of its entry', ({ changelog }) => {
    const record = commits(changelog.records).find(({ value }) => takeApart(value!)!.operations.some(isPage));
    change(record!, (block) => {
      const at = block.operations.findIndex(isPage);
      block.operations.splice(at, 0, { kind: 'remove', slot: block.operations[at]!.slot });
    });
  }),
  mutant('K3', 'a sweep skips a base', ({ changelog }) => {
    const { record, slot } = sweptBind(changelog.records);
    change(record, (block) => {
      block.operations = block.operations.filter((each) => each.slot !== slot);
    });
  }),
];
