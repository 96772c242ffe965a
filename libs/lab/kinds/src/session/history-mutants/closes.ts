// Mutants of closes: one too many, missing, too early, with other content.
import type { Mutable } from '@flatline/base';
import type { LogRecord, OutputRecord } from '@flatline/oracle';
import { nameOf } from '@flatline/oracle/anatomy';
import { namedOperations } from '../../histories/changelog-edits.ts';
import {
  edit,
  endOf,
  lastData,
  mutant,
  type HistoryMutant,
  number,
  transactionLike,
} from '../../histories/history-mutant.ts';
import { closePairs, type Pair, summaries, timeouts } from './close-pairs.ts';

export const CLOSES: readonly HistoryMutant[] = [
  mutant('V1', 'a close comes twice, in a later transaction', ({ output }) => {
    const [summary, tombstone] = closePairs(output.records)[3]!;
    const offset = endOf(output.batches);
    output.records.push({ ...summary, offset }, { ...tombstone, offset: offset + 1 });
    output.batches.push(...transactionLike(lastData(output.batches), offset, 2));
  }),
  mutant('V1', 'a close comes twice, in its own transaction', ({ output }) => {
    const [summary, tombstone] = closePairs(output.records)[3]!;
    output.records.splice(output.records.indexOf(tombstone) + 1, 0, summary, tombstone);
  }),
  mutant('V1', 'a close is dropped', ({ output }) => {
    const [summary, tombstone] = closePairs(output.records)[5]!;
    output.records = output.records.filter((record) => record !== summary && record !== tombstone);
  }),
  mutant('V1', 'all closes of one transaction are dropped', ({ output }) => {
    // The records between two markers, in however many batches.
    const [before, after] = output.batches.filter(({ marker }) => marker !== undefined).slice(3, 5);
    output.records = output.records.filter(({ offset }) => offset < before!.baseOffset || offset > after!.lastOffset);
  }),
  mutant('V1', 'a close of a session that never was', ({ output }) => {
    const [summary] = closePairs(output.records)[2]!;
    edit(summary, { incarnation: '0-999999' });
  }),
  mutant('V3', 'a close is 1 ms early', ({ output }) => {
    const summary = timeouts(output.records)[2]!;
    edit(summary, { closedAt: number(summary, 'closedAt') - 1, deadlineAt: number(summary, 'deadlineAt') - 1 });
  }),
  mutant('V3', 'the last heartbeat is ignored', ({ output }) => {
    const summary = timeouts(output.records).find((each) => number(each, 'eventCount') > 1)!;
    edit(summary, {
      eventCount: number(summary, 'eventCount') - 1,
      lastSeenAt: number(summary, 'lastSeenAt') - 700,
      deadlineAt: number(summary, 'deadlineAt') - 700,
      closedAt: number(summary, 'closedAt') - 700,
    });
  }),
  mutant('V3', 'an expiry without evidence', ({ input, changelog, output }) => {
    const { position, deadline } = provedSilence(changelog.records, output.records);
    for (const record of input.records as Mutable<LogRecord>[])
      if (record.offset < position && record.timestamp >= deadline) record.timestamp = deadline - 1;
  }),
  mutant('V3', 'a close comes transactions before the commit that decides it', ({ output }) => {
    const [early, late] = overlapping(output.records);
    const { offset } = early[1];
    output.records = output.records.filter((record) => !late.includes(record));
    output.records.splice(output.records.indexOf(early[1]) + 1, 0, ...late.map((record) => ({ ...record, offset })));
  }),
  mutant('V4', 'a wrong count', ({ output }) => {
    const summary = timeouts(output.records)[0]!;
    edit(summary, { eventCount: number(summary, 'eventCount') + 1 });
  }),
  mutant('V4', 'a wrong count of a type', ({ output }) => {
    const summary = timeouts(output.records)[1]!;
    edit(summary, { countsByType: { HEARTBEAT: 77 } });
  }),
  mutant('V4', 'a wrong first offset', ({ output }) => {
    const summary = summaries(output.records)[4]!;
    edit(summary, { firstOffset: number(summary, 'firstOffset') + 1 });
  }),
  mutant('V4', 'a wrong attribute', ({ output }) => {
    const summary = summaries(output.records).find(
      (each) => Object.keys(each.summary!['attributes'] as object).length > 0,
    )!;
    edit(summary, { attributes: { 'name-0': 'of another key' } });
  }),
  mutant('V4', 'a wrong reason', ({ output }) => {
    edit(timeouts(output.records)[3]!, { reason: 'ENDED' });
  }),
  mutant('V4', 'another deadline', ({ output }) => {
    const summary = timeouts(output.records)[3]!;
    edit(summary, { deadlineAt: number(summary, 'deadlineAt') + 1 });
  }),
  mutant('V4', 'a summary that is none', ({ output }) => {
    edit(timeouts(output.records)[3]!, undefined);
  }),
];

/** A close, and one of a later transaction, of a session that was open then and sent activities afterwards. */
function overlapping(records: readonly OutputRecord[]): readonly [Pair, Pair] {
  const pairs = closePairs(records);
  for (const pair of pairs) {
    const [first, tombstone] = pair;
    const late = pairs.find(
      ([other]) =>
        number(other, 'firstOffset') < number(first, 'lastOffset') &&
        number(other, 'lastSeenAt') > number(first, 'emittedAt') &&
        // A marker takes an offset between them.
        other.offset - tombstone.offset > records.indexOf(other) - records.indexOf(tombstone),
    );
    if (late !== undefined) return [pair, late];
  }
  throw new Error('no two sessions lived at the same time');
}

/** A session that a commit removed after its silence: the commit's position, and the deadline that the clock had passed. */
function provedSilence(
  changelog: readonly LogRecord[],
  output: readonly OutputRecord[],
): { readonly position: number; readonly deadline: number } {
  const silent = new Map(timeouts(output).map((record) => [nameOf(record.key!), record]));
  for (const { block, removed } of namedOperations(changelog).commits.toReversed())
    for (const name of removed.values()) {
      const summary = silent.get(name);
      if (summary !== undefined && number(summary, 'lastOffset') < block.header.position)
        return { position: block.header.position, deadline: number(summary, 'deadlineAt') };
    }
  throw new Error('no commit closed anything for its silence');
}
