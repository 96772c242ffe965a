// Mutants of input records, and of sessions in the changelog.
import type { InputRecord, LogRecord } from '@flatline/oracle';
import { nameOf, textOf } from '@flatline/oracle/anatomy';
import { takeApart } from '../../histories/block-editor.ts';
import {
  change,
  changeFirst,
  commits,
  firstBind,
  isBind,
  isLaterTouch,
  isPage,
  namedOperations,
} from '../../histories/changelog-edits.ts';
import { mutant, type HistoryMutant } from '../../histories/history-mutant.ts';

export const RECORDS: readonly HistoryMutant[] = [
  mutant('V5', 'the offset lies outside the transaction: it runs ahead of what was applied', ({ input, changelog }) => {
    const commit = commitBefore(changelog.records, input.records);
    change(commit, ({ header }) => {
      header.position = input.records.find(({ offset, key }) => offset >= header.position && key !== null)!.offset + 1;
    });
  }),
  mutant('V5', 'a touch says an older count', ({ changelog }) => {
    changeFirst(changelog.records, isLaterTouch, (operation) => [
      { ...operation, touch: operation.touch.with(0, operation.touch[0]! - 2) },
    ]);
  }),
  mutant('V5', 'a touch is not written', ({ changelog }) => {
    changeFirst(changelog.records, isLaterTouch, () => []);
  }),
  mutant('K1', 'a bind is not written', ({ changelog }) => {
    const { record, slot } = firstBind(changelog.records);
    change(record, (block) => {
      block.operations = block.operations.filter((each) => !isBind(each) || each.slot !== slot);
    });
  }),
  mutant('K9', 'a page is not written', ({ changelog }) => {
    changeFirst(changelog.records, isPage, () => []);
  }),
  mutant('V5', 'a removal is not written', ({ input, changelog }) => {
    // The key came and ended in the same commit: a key that is not named is not compared (ST1).
    const all = namedOperations(changelog.records).commits;
    const cameIn = (name: string, at: number): boolean =>
      input.records.some(
        ({ key, value, offset }) =>
          key !== null &&
          value === null &&
          nameOf(key) === name &&
          offset < all[at]!.block.header.position &&
          offset >= (all[at - 1]?.block.header.position ?? 0),
      );
    const removal = all.find(({ removed }, at) => [...removed.values()].some((name) => cameIn(name, at)))?.record;
    change(removal!, (block) => {
      block.operations = block.operations.filter(({ kind }) => kind !== 'remove');
    });
  }),
  mutant('I1', 'a good record is a dead letter', ({ deadLetters, input }) => {
    const good = input.records.find(({ key }) => key !== null)!;
    const { key, value } = good;
    deadLetters.records.unshift({ offset: 0, key, value, subject: { offset: good.offset, reason: 'invalid-json' } });
  }),
  mutant(
    'I1',
    'a good record is a dead letter, and the processor says that it failed at it',
    ({ deadLetters, input }) => {
      const { offset, key, value } = input.records.find((record) => isGood(record))!;
      deadLetters.records.unshift({ offset: 0, key, value, subject: { offset, reason: 'processing-failed' } });
      return { truth: { refusalOf: () => undefined, presentDecides: true } };
    },
  ),
  mutant('I1', 'a record that its maker means to be refused is no dead letter', ({ input }) => {
    const meant = input.records.find((record) => isGood(record))!;
    return {
      truth: { refusalOf: ({ offset }) => (offset === meant.offset ? 'content' : undefined), presentDecides: true },
    };
  }),
  mutant('X3', 'an acknowledged record of a session that there was is not in the input', ({ input }) => {
    const first = input.records.find((record) => isGood(record))!;
    const sessionId = textOf(first.key!);
    const found = input.records.filter(({ key }) => key !== null && textOf(key) === sessionId).length;
    return { ledger: [{ sessionId, acknowledged: found + 1, duplicates: 0, ended: 'silence', longestGapMs: 0 }] };
  }),
  mutant('X3', 'no acknowledged record of a session is in the input', () => ({
    ledger: [{ sessionId: 'k999', acknowledged: 1, duplicates: 0, ended: 'silence', longestGapMs: 0 }],
  })),
];

/** True if it opens a session or is an activity of one. */
function isGood({ key, event }: InputRecord): boolean {
  return key !== null && event !== undefined && event !== 'bad' && event.type !== 'ENDED';
}

/** A commit that leaves input with a key behind its position for the next. */
function commitBefore(records: readonly LogRecord[], input: readonly LogRecord[]): LogRecord {
  return commits(records).find(({ value }, at) => {
    const { position } = takeApart(value!)!.header;
    return at > 5 && input.some(({ offset, key }) => offset === position && key !== null);
  })!;
}
