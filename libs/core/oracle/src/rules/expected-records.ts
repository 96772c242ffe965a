// Makes the records that the output must have of what a machine has said.
import type { Millis } from '@flatline/base';
import { textOf } from '../logs/byte-names.ts';
import type { OutputRecord } from '../logs/history.ts';
import type { EntryRules } from './entry-rules.ts';
import type { EntryFault, ExpectedRecord } from './reading.ts';

interface OfKey {
  readonly name: string;
  readonly key: Uint8Array;
}

/** `dueAt`: undefined: brought about by a record. */
export function expectedRecords<State, Said>(
  kind: Pick<EntryRules<State, Said>, 'expect' | 'instantOf'>,
  { name, key }: OfKey,
  said: readonly Said[],
  dueAt: Millis | undefined,
): ExpectedRecord[] {
  return said.flatMap((each) => {
    const expectation = kind.expect(each, key);
    if (expectation === undefined) return [];
    const { at = 0, compare: comparedWith, ...expected } = expectation;
    const compare = (record: OutputRecord): EntryFault | undefined => {
      const fault = comparedWith(record);
      const isEarly = dueAt !== undefined && (kind.instantOf(record) ?? at) < at;
      return fault && (isEarly ? { rule: 'V3', what: `it comes early: ${fault.what}` } : fault);
    };
    return [{ ...expected, compare, name, text: textOf(key), dueAt }];
  });
}
