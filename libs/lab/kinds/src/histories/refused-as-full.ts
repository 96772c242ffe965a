import { assert } from '@flatline/base';
import type { CommonRules, InputRecord } from '@flatline/oracle';
import { type HistoryMutant, mutant } from './history-mutant.ts';

/**
 * Refuses for want of room a record that needs none, where one that needs some would be believed (I7). `rules`: of kinds whose sizes
 * the fold knows itself, none: it believes no letter, and with no room at all would refuse each record that opens an entry.
 */
export function refusedAsFull(
  what: string,
  needsNone: (record: InputRecord) => boolean,
  rules: Partial<CommonRules> = { stateBytesMax: 1 },
): HistoryMutant {
  return mutant('I1', `${what} is refused for want of room`, ({ deadLetters: { records }, input }) => {
    const isLetter = (offset: number): boolean => records.some(({ subject }) => subject?.offset === offset);
    const found = input.records.find((record) => record.key !== null && !isLetter(record.offset) && needsNone(record));
    assert(found !== undefined, `the input has ${what}: its producers are to send more of it`);
    const { offset, key, value } = found;
    const at = records.findIndex(({ subject }) => subject !== undefined && subject.offset > offset);
    assert(at >= 0, `a letter comes behind ${what}: its producers are to send more of both`);
    records.splice(at, 0, { offset: records[at]!.offset, key, value, subject: { offset, reason: 'state-full' } });
    return { rules };
  });
}
