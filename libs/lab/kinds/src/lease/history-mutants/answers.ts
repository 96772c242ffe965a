// Mutants of answers about leases: one too many, missing, too early, with other content (L1–L6).
import type { Mutable } from '@flatline/base';
import type { OutputRecord } from '@flatline/oracle';
import {
  drop,
  edit,
  mutant,
  type HistoryMutant,
  number,
  repeat,
  saying,
  sayFirst,
} from '../../histories/history-mutant.ts';

export const ANSWERS: readonly HistoryMutant[] = [
  mutant('V1', 'a start is not answered', ({ output }) => {
    drop(output.records, saying(output.records, { type: 'REJECTED' })[0]!);
  }),
  mutant('V1', 'a lease is granted twice', ({ output }) => {
    repeat(output.records, saying(output.records, { type: 'GRANTED' })[2]!);
  }),
  mutant('V1', 'a lease is granted to two', ({ output }) => {
    const granted = saying(output.records, { type: 'GRANTED' })[2]!;
    const offset = number(granted, 'offset') + 2;
    repeat(output.records, granted);
    edit(granted, { offset, token: number(granted, 'token') + 2 });
  }),
  mutant('V4', 'the token of another start is granted', ({ output }) => {
    const granted = saying(output.records, { type: 'GRANTED' })[3]!;
    edit(granted, { token: number(granted, 'token') - 2 });
  }),
  mutant('V4', 'a token does not grow', ({ output }) => {
    const byKey = Map.groupBy(saying(output.records, { type: 'GRANTED' }), ({ summary }) => summary!['leaseId']);
    const [first, later] = [...byKey.values()].find(({ length }) => length > 1)!;
    edit(later!, { token: number(first!, 'token') });
  }),
  mutant('V4', 'another deadline is granted', ({ output }) => {
    const granted = saying(output.records, { type: 'GRANTED' })[3]!;
    edit(granted, { deadlineAt: number(granted, 'deadlineAt') + 1 });
  }),
  mutant('V4', 'another holder is named', ({ output }) => {
    const refused = saying(output.records, { reason: 'WRONG_TOKEN' })[0]!;
    edit(refused, { holder: { round: 'of another' } });
  }),
  mutant('V4', 'a renewal too many is counted', ({ output }) => {
    const expired = saying(output.records, { type: 'EXPIRED' })[1]!;
    edit(expired, { renewals: number(expired, 'renewals') + 1 });
  }),
  mutant('V4', 'another reason is given', ({ output }) => {
    edit(saying(output.records, { reason: 'NOT_HELD' })[0]!, { reason: 'WRONG_TOKEN' });
  }),
  mutant('V4', 'a start is withdrawn that was not', ({ output }) => {
    edit(saying(output.records, { reason: 'WRONG_TOKEN' })[0]!, { reason: 'WITHDRAWN' });
  }),
  mutant('V4', 'an answer that is none', ({ output }) => {
    edit(saying(output.records, { type: 'QUEUED' })[0]!, undefined);
  }),
  mutant('V3', 'a lease expires 1 ms early', ({ output }) => {
    const expired = saying(output.records, { reason: 'TIMEOUT' })[2]!;
    edit(expired, { at: number(expired, 'at') - 1, deadlineAt: number(expired, 'deadlineAt') - 1 });
  }),
  mutant('V3', 'a lease expires transactions before its deadline', ({ output }) => {
    sayFirst(output.records, saying(output.records, { reason: 'TIMEOUT' }).at(-1)!);
  }),
  mutant('O2', 'the tombstone of a lease is missing', ({ output }) => {
    const expired = saying(output.records, { type: 'EXPIRED' })[0]!;
    output.records.splice(output.records.indexOf(expired) + 1, 1);
  }),
  mutant('O2', 'a tombstone follows a grant', ({ output }) => {
    const granted = saying(output.records, { type: 'GRANTED' })[1]!;
    const tombstone = { ...granted, value: null, summary: undefined };
    output.records.splice(output.records.indexOf(granted) + 1, 0, tombstone);
  }),
  mutant('O2', 'a header names another lease', ({ output }) => {
    (saying(output.records, { type: 'GRANTED' })[1]! as Mutable<OutputRecord>).incarnation = '0-12345';
  }),
  mutant('O2', 'a header names another request', ({ output }) => {
    const asked = output.records.find(({ summary }) => summary?.['requestId'] !== undefined)!;
    (asked as Mutable<OutputRecord>).headers = asked.headers!.filter(({ name }) => name !== 'flatline-request-id');
  }),
  mutant('O4', 'the next is granted before the lease has ended', ({ output }) => {
    const at = output.records.findIndex(
      ({ value, key }, index) =>
        value === null &&
        output.records[index + 1]?.summary?.['type'] === 'GRANTED' &&
        String(output.records[index + 1]!.key) === String(key),
    );
    const [granted] = output.records.splice(at + 1, 1);
    output.records.splice(at - 1, 0, granted!);
  }),
];
