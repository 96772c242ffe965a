// Mutants of leases in the changelog.
import { BlockReader } from '@flatline/oracle/anatomy';
import { changeFirst, isPage, isTouch } from '../../histories/changelog-edits.ts';
import { refusedAsFull } from '../../histories/refused-as-full.ts';
import { mutant, type HistoryMutant } from '../../histories/history-mutant.ts';
import { textIn } from '../../worlds/simulated-kind.ts';

export const LEASES: readonly HistoryMutant[] = [
  refusedAsFull('a renewal', ({ value }) => value?.length === 0, {}),
  refusedAsFull('a start', ({ value }) => value !== null && textIn(value).startsWith('{"type":"STARTED"'), {}),
  mutant('V5', 'a renewal is not written', ({ changelog }) => {
    changeFirst(changelog.records, isTouch, () => []);
  }),
  mutant('V5', 'a holder without the token has renewed', ({ changelog }) => {
    // The count of renewals is the byte behind the signed instant.
    changeFirst(changelog.records, isTouch, (operation) => {
      const bytes = new BlockReader(operation.touch);
      bytes.byte();
      bytes.signed();
      const at = bytes.position;
      return [{ ...operation, touch: operation.touch.with(at, operation.touch[at]! + 1) }];
    });
  }),
  mutant('V5', 'those that wait are forgotten', ({ changelog }) => {
    changeFirst(changelog.records, isPage, () => []);
  }),
];
