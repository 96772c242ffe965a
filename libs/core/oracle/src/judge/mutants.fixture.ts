// Correct histories made wrong, each in one way, and the rule that has to see it.
import { assert, type Mutable } from '@flatline/base';
import { takeApart } from '../logs/block-editor.fixture.ts';
import type { BlockOperation } from '../logs/block-operation.ts';
import { nameOf, textOf } from '../logs/byte-names.ts';
import type {
  BatchMark,
  InputRecord,
  InputTruth,
  LetterSubject,
  LetterRecord,
  LogRecord,
  OutputRecord,
  PipelineRules,
} from '../logs/history.ts';
import {
  type Bind,
  change,
  changeFirst,
  commits,
  isBind,
  isLaterTouch,
  isPage,
  isTouch,
  lastImageBefore,
  namedOperations,
  operationsOf,
  type PageChange,
  removedForAWhile,
} from './changelog-edits.fixture.ts';
import type { LedgerLine } from './ledger-check.ts';
import type { RecordedPartition } from './recorded-history.fixture.ts';
import type { ReachCounter } from './reach.ts';

/** What is judged beside the logs. */
export interface Asked {
  readonly ledger?: readonly LedgerLine[];
  readonly reach?: Partial<Record<ReachCounter, number>>;
  /** What the maker of the input knows of it. */
  readonly truth?: InputTruth;
  /** Other rules than the history was recorded by. */
  readonly rules?: Partial<PipelineRules>;
}

export interface Mutant {
  readonly what: string;
  readonly rule: string;
  /** Changes the partition in place; a mutant that finds nothing to change fails. */
  readonly apply: (partition: RecordedPartition) => Asked | undefined;
}

export const MUTANTS: readonly Mutant[] = [
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
    // What lies between two markers, in however many batches.
    const [before, after] = output.batches.filter(({ marker }) => marker !== undefined).slice(3, 5);
    output.records = output.records.filter(({ offset }) => offset < before!.baseOffset || offset > after!.lastOffset);
  }),
  mutant('V1', 'a close of a session that never was', ({ output }) => {
    const [summary] = closePairs(output.records)[2]!;
    edit(summary, { incarnation: '0-999999' });
  }),
  mutant('V2', 'what is due at the end stays open', ({ input, changelog }) => {
    const last = lastOf(commits(changelog.records));
    const late = lastOf(input.records) as Mutable<LogRecord>;
    late.timestamp += 60_000;
    change(last, ({ header }) => {
      header.clock = late.timestamp;
    });
  }),
  mutant('V2', 'the input goes on, and no commit covers it', ({ input }) => {
    const beat = input.records.find(({ key }) => key !== null)!;
    const offset = endOf(input.batches);
    input.records.push({ ...beat, offset, timestamp: lastOf(input.records).timestamp });
    input.batches.push({ ...lastOf(input.batches), baseOffset: offset, lastOffset: offset });
  }),
  mutant('V2', 'the changelog lacks its last commits, the input is read on', ({ changelog }) => {
    const from = commits(changelog.records).at(-3)!.offset;
    changelog.records = changelog.records.filter(({ offset }) => offset < from);
    changelog.batches = changelog.batches.filter(({ baseOffset }) => baseOffset < from);
  }),
  mutant('I1', 'a dead letter of input that no commit covers', ({ input, deadLetters }) => {
    const offset = endOf(deadLetters.batches);
    const subject = { offset: endOf(input.batches) + 5, reason: 'bad-payload' };
    deadLetters.records.push({ offset, key: null, value: null, subject });
    deadLetters.batches.push(...transactionLike(lastData(deadLetters.batches), offset, 1));
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
  mutant('V4', 'a wrong attribute', ({ output }) => {
    const summary = summaries(output.records).find(
      (each) => Object.keys(each.summary!['attributes'] as object).length > 0,
    )!;
    edit(summary, { attributes: { 'name-0': 'of another key' } });
  }),
  mutant('V4', 'a wrong first offset', ({ output }) => {
    const summary = summaries(output.records)[4]!;
    edit(summary, { firstOffset: number(summary, 'firstOffset') + 1 });
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
  mutant('V5', 'the offset lies outside the transaction: it runs ahead of what was applied', ({ input, changelog }) => {
    const commit = commitBefore(changelog.records, input.records);
    change(commit, ({ header }) => {
      header.position = input.records.find(({ offset, key }) => offset >= header.position && key !== null)!.offset + 1;
    });
  }),
  mutant('V5', 'the input position goes back', ({ changelog }) => {
    const all = commits(changelog.records);
    change(all[all.length >> 1]!, ({ header }) => {
      header.position -= 5;
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
    const touched = new Set(operationsOf(changelog.records).flatMap((each) => (isTouch(each) ? [each.slot] : [])));
    changeFirst(
      changelog.records,
      (each): each is Bind => isBind(each) && touched.has(each.slot),
      () => [],
    );
  }),
  mutant('K9', 'a page is not written', ({ changelog }) => {
    changeFirst(changelog.records, isPage, () => []);
  }),
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
  mutant('V5', 'a removal is not written', ({ input, changelog }) => {
    // The key came in the same commit, and ended: a key that is not named is not compared (ST1).
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
  mutant('V6', 'a transaction hangs behind the end', ({ changelog }) => {
    changelog.hanging.push({ producerId: 7, firstOffset: endOf(changelog.batches) });
  }),
  mutant('V6', 'a transaction is never ended', ({ output }) => {
    output.batches = output.batches.slice(0, -1);
    assert(lastOf(output.batches).marker === undefined, 'a marker was the last');
  }),
  mutant('V7', 'an epoch goes back', ({ changelog }) => {
    const batch = changelog.batches.findLast(({ marker }) => marker === undefined)! as Mutable<BatchMark>;
    batch.producerEpoch -= 1;
  }),
  mutant('V7', 'a block is written outside any transaction', ({ changelog }) => {
    const batch = changelog.batches.filter(({ marker }) => marker === undefined)[9]! as Mutable<BatchMark>;
    batch.transactional = false;
  }),
  mutant('V7', 'a second producer writes in the middle of a transaction', ({ output }) => {
    const at = output.batches.findIndex(({ marker }) => marker === 'commit');
    const { lastOffset } = output.batches[at - 1]!;
    const foreign = { ...lastData(output.batches), producerId: 999, baseOffset: lastOffset, lastOffset };
    output.batches.splice(at, 0, foreign, { ...foreign, marker: 'abort' });
  }),
  mutant('V8', 'the local store lacks an entry', (partition) => {
    partition.store = partition.store.slice(1);
  }),
  mutant('V8', 'the local store holds an entry too many', (partition) => {
    partition.store.push({ ...partition.store[0]!, key: Uint8Array.of(1, 2, 3) });
  }),
  mutant('V8', 'the local store holds another image', (partition) => {
    const [first, second] = partition.store;
    partition.store[0] = { key: first!.key, image: second!.image };
  }),
  mutant('V11', 'an entry is resurrected', ({ input, changelog }) => {
    const { removing, key, later } = removedForAWhile(changelog.records, input.records);
    const { head, pages } = lastImageBefore(changelog.records, removing, key);
    const slot = 2 ** 24;
    change(later, (block) => {
      block.operations.push({ kind: 'bind', slot, key, head });
      for (const [page, bytes] of pages.entries()) block.operations.push({ kind: 'page', slot, page, at: 0, bytes });
    });
  }),
  mutant('V12', 'the armed fault did not fire', () => ({ reach: { truncations: 1 } })),
  mutant('O1', 'closes are committed by another producer epoch than their blocks', ({ output }) => {
    for (const batch of output.batches as Mutable<BatchMark>[]) batch.producerEpoch += 1;
  }),
  mutant('O2', 'a tombstone is missing', ({ output }) => {
    const [, tombstone] = closePairs(output.records)[7]!;
    output.records = output.records.filter((record) => record !== tombstone);
  }),
  mutant('O2', 'a tombstone comes twice', ({ output }) => {
    const [, tombstone] = closePairs(output.records)[7]!;
    output.records.splice(output.records.indexOf(tombstone) + 1, 0, tombstone);
  }),
  mutant('O2', 'a tombstone comes before its summary', ({ output }) => {
    const [summary, tombstone] = closePairs(output.records)[7]!;
    const at = output.records.indexOf(summary);
    output.records.splice(at, 2, tombstone, summary);
  }),
  mutant('O2', 'a tombstone comes after they were turned off', ({ output }) => {
    const pairs = closePairs(output.records);
    const gone = new Set(pairs.slice(4).map(([, tombstone]) => tombstone));
    // In a later transaction than the first that lacks one.
    gone.delete(pairs.at(-1)![1]);
    output.records = output.records.filter((record) => !gone.has(record));
    return { rules: { tombstones: false } };
  }),
  mutant('O2', 'a tombstone before its summary, though they are turned off', ({ output }) => {
    const [summary, tombstone] = closePairs(output.records)[7]!;
    const at = output.records.indexOf(summary);
    output.records.splice(at, 2, tombstone, summary);
    return { rules: { tombstones: false } };
  }),
  mutant('O2', 'tombstones are missing, though they are turned on', ({ output }) => {
    output.records = output.records.filter(({ value }) => value !== null);
  }),
  mutant('O2', 'a header names another incarnation', ({ output }) => {
    const [summary] = closePairs(output.records)[7]!;
    (summary as Mutable<OutputRecord>).incarnation = '0-12345';
  }),
  mutant('I1', 'a bad record is no dead letter', ({ deadLetters }) => {
    deadLetters.records = deadLetters.records.slice(1);
  }),
  mutant('I1', 'a bad record is a dead letter twice', ({ deadLetters }) => {
    deadLetters.records.splice(1, 0, { ...deadLetters.records[0]! });
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
  mutant('I1', 'a dead letter holds another value than its record', ({ deadLetters }) => {
    const letter = deadLetters.records.find(
      ({ value, subject }) => value !== null && subject?.valueBytes === undefined,
    )!;
    (letter as Mutable<LetterRecord>).value = letter.value!.map((byte, at) => (at === 1 ? byte + 1 : byte));
  }),
  mutant('I1', 'a dead letter holds no key though its record has one', ({ deadLetters }) => {
    (deadLetters.records.find(({ key }) => key !== null) as Mutable<LetterRecord>).key = null;
  }),
  mutant('I1', 'a truncated dead letter does not say so', ({ deadLetters }) => {
    delete (truncated(deadLetters.records).subject as Mutable<LetterSubject>).valueBytes;
  }),
  mutant('I1', 'a truncated dead letter says a wrong length', ({ deadLetters }) => {
    (truncated(deadLetters.records).subject as Mutable<LetterSubject>).valueBytes! += 1;
  }),
  mutant('I1', 'a truncated dead letter is not the beginning of its record', ({ deadLetters, input }) => {
    const letter = truncated(deadLetters.records) as Mutable<LetterRecord>;
    const { value } = input.records.find(({ offset }) => offset === letter.subject!.offset)!;
    letter.value = value!.slice(1, letter.value!.length + 1);
  }),
  mutant('I1', 'a dead letter of a batch names fewer records than it has', ({ deadLetters }) => {
    const { subject } = deadLetters.records.find((letter) => letter.subject?.lastOffset !== undefined)!;
    (subject as Mutable<LetterSubject>).lastOffset! += 1;
  }),
  mutant('I1', 'a batch that cannot be unpacked is no dead letter', ({ deadLetters }) => {
    deadLetters.records = deadLetters.records.filter(({ subject }) => subject?.lastOffset === undefined);
  }),
  mutant('K1', 'a commit lacks a block', ({ changelog }) => {
    change(commits(changelog.records)[8]!, ({ header }) => {
      header.parts += 1;
    });
  }),
  mutant('K2', 'a commit is missing', ({ changelog }) => {
    const gone = commits(changelog.records)[8]!;
    changelog.records = changelog.records.filter((record) => record !== gone);
  }),
  mutant('K2', 'two commits are exchanged', ({ changelog }) => {
    const [first, second] = commits(changelog.records).slice(8, 10) as Mutable<LogRecord>[];
    [first!.value, second!.value] = [second!.value, first!.value];
  }),
  mutant('K3', 'the floor lies above a live image', ({ changelog }) => {
    const last = lastOf(commits(changelog.records));
    change(last, ({ header }) => {
      header.floor = last.offset + 1;
    });
  }),
  mutant('K3', 'a commit states a floor above itself, and the next one does not', ({ changelog }) => {
    const early = commits(changelog.records)[8]!;
    change(early, ({ header }) => {
      header.floor = early.offset + 1;
    });
  }),
  mutant('K9', 'a block is of an unknown version', ({ changelog }) => {
    const record = commits(changelog.records)[8]! as Mutable<LogRecord>;
    record.value = Uint8Array.from(record.value!, (byte, at) => (at === 1 ? 9 : byte));
  }),
  mutant('R1', 'the digest is wrong', ({ changelog }) => {
    change(commits(changelog.records)[8]!, ({ header }) => {
      header.digest = (header.digest + 1) % 2 ** 32;
    });
  }),
  mutant('R1', 'the count of live entries is wrong', ({ changelog }) => {
    change(commits(changelog.records)[8]!, ({ header }) => {
      header.liveEntries += 1;
    });
  }),
  mutant('R1', 'the clock runs ahead of the input', ({ changelog }) => {
    change(commits(changelog.records)[8]!, ({ header }) => {
      header.clock += 1;
    });
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

/** One that opens a session, or is an activity of it. */
function isGood({ key, event }: InputRecord): boolean {
  return key !== null && event !== undefined && event !== 'bad' && event.type !== 'ENDED';
}

function truncated(letters: readonly LetterRecord[]): LetterRecord {
  return letters.find(({ subject }) => subject?.valueBytes !== undefined)!;
}

function mutant(rule: string, what: string, apply: Mutant['apply']): Mutant {
  return { rule, what, apply };
}

type Pair = readonly [OutputRecord, OutputRecord];

/** Each summary with its tombstone. */
function closePairs(records: readonly OutputRecord[]): Pair[] {
  return records.flatMap((record, at): Pair[] => (record.value === null ? [] : [[record, records[at + 1]!]]));
}

/** A close, and one of a later transaction, of a session that lived then and was heard of afterwards. */
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

function summaries(records: readonly OutputRecord[]): OutputRecord[] {
  return records.filter(({ value }) => value !== null);
}

function timeouts(records: readonly OutputRecord[]): OutputRecord[] {
  return summaries(records).filter(({ summary }) => summary!['reason'] === 'TIMEOUT');
}

function number({ summary }: OutputRecord, field: string): number {
  return Number(summary![field]);
}

function edit(record: OutputRecord, fields: Record<string, unknown> | undefined): void {
  (record as Mutable<OutputRecord>).summary = fields === undefined ? undefined : { ...record.summary, ...fields };
}

/** A commit that leaves input with a key behind its position for the next. */
function commitBefore(records: readonly LogRecord[], input: readonly LogRecord[]): LogRecord {
  return commits(records).find(({ value }, at) => {
    const { position } = takeApart(value!)!.header;
    return at > 5 && input.some(({ offset, key }) => offset === position && key !== null);
  })!;
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

function endOf(batches: readonly BatchMark[]): number {
  return lastOf(batches).lastOffset + 1;
}

function lastData(batches: readonly BatchMark[]): BatchMark {
  return batches.findLast(({ marker }) => marker === undefined)!;
}

function transactionLike(batch: BatchMark, offset: number, records: number): BatchMark[] {
  const lastOffset = offset + records - 1;
  const marker = { ...batch, baseOffset: lastOffset + 1, lastOffset: lastOffset + 1, marker: 'commit' as const };
  return [{ ...batch, baseOffset: offset, lastOffset }, marker];
}

function lastOf<T>(items: readonly T[]): T {
  const last = items.at(-1);
  assert(last !== undefined, 'there is something to change');
  return last;
}
