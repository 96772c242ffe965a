// Mutants of windows in the changelog.
import { changeFirst, isAppend, isBind, isTouch } from '../../histories/changelog-edits.ts';
import { refusedAsFull } from '../../histories/refused-as-full.ts';
import { mutant, type HistoryMutant } from '../../histories/history-mutant.ts';

export const WINDOWS: readonly HistoryMutant[] = [
  refusedAsFull('a cancel', ({ value }) => value === null),
  mutant('V5', 'an append is lost', ({ changelog }) => {
    changeFirst(changelog.records, isAppend, () => []);
  }),
  mutant('K9', 'an append is written over what was there', ({ changelog }) => {
    changeFirst(changelog.records, isAppend, (operation) => [{ ...operation, at: operation.at - 1 }]);
  }),
  mutant('K1', 'an append comes where nothing lies before it', ({ changelog }) => {
    changeFirst(changelog.records, isAppend, (operation) => [{ ...operation, at: operation.at + 1 }]);
  }),
  mutant('K9', 'a window is kept in a form that there is none of', ({ changelog }) => {
    changeFirst(changelog.records, isBind, (operation) => [{ ...operation, head: operation.head.with(0, 16) }]);
  }),
  mutant('V5', 'a touch is lost, and not its item', ({ changelog }) => {
    changeFirst(changelog.records, isTouch, () => []);
  }),
  mutant('V5', 'an item is another', ({ changelog }) => {
    changeFirst(changelog.records, isAppend, (operation) => [
      { ...operation, bytes: operation.bytes.with(-1, operation.bytes.at(-1)! ^ 1) },
    ]);
  }),
];
