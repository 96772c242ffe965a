// Mutants of entries' pages, for kinds that have any: one exchanged, too early, too late.
import {
  change,
  commits,
  type HistoryMutant,
  isBind,
  isPage,
  mutant,
  type PageChange,
  takeApart,
} from '@flatline/lab-kinds/histories';
import { type BlockOperation, nameOf } from '@flatline/oracle/anatomy';

export const PAGES: readonly HistoryMutant[] = [
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
  mutant('K1', 'a removal comes before the last page of its entry', ({ changelog }) => {
    const record = commits(changelog.records).find(({ value }) => takeApart(value!)!.operations.some(isPage));
    change(record!, (block) => {
      const at = block.operations.findIndex(isPage);
      block.operations.splice(at, 0, { kind: 'remove', slot: block.operations[at]!.slot });
    });
  }),
];
