// Mutants of schedules in the changelog.
import { changeFirst, isPage, isTouch } from '../../histories/changelog-edits.ts';
import { refusedAsFull } from '../../histories/refused-as-full.ts';
import { mutant, type HistoryMutant } from '../../histories/history-mutant.ts';

export const SCHEDULES: readonly HistoryMutant[] = [
  refusedAsFull('a cancel', ({ value }) => value === null),
  mutant('V5', 'what is due next is not written', ({ changelog }) => {
    changeFirst(changelog.records, isTouch, () => []);
  }),
  mutant('V5', 'the schedules of a key are not written', ({ changelog }) => {
    changeFirst(changelog.records, isPage, () => []);
  }),
  mutant('V5', 'a message is another', ({ changelog }) => {
    changeFirst(changelog.records, isPage, (operation) => [
      { ...operation, bytes: operation.bytes.with(-1, operation.bytes.at(-1)! ^ 1) },
    ]);
  }),
];
