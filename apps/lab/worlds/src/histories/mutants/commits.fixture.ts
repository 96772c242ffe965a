// Mutants of the chain of commits, of where the commits end before the input, and of their headers.
import type { Mutable } from '@flatline/base';
import {
  change,
  commits,
  endOf,
  type HistoryMutant,
  lastData,
  lastOf,
  mutant,
  takeApart,
  transactionLike,
} from '@flatline/lab-kinds/histories';
import type { LogRecord } from '@flatline/oracle';

export const COMMITS: readonly HistoryMutant[] = [
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
  mutant('V5', 'the input position goes back', ({ changelog }) => {
    const all = commits(changelog.records);
    const positions = all.map(({ value }) => takeApart(value!)!.header.position);
    const at = all.length >> 1;
    change(all[at]!, ({ header }) => {
      header.position = positions.findLast((each) => each < positions[at]!)! - 1;
    });
  }),
  mutant('V12', 'the armed fault did not fire', () => ({ reach: { truncations: 1 } })),
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
  mutant('K8', 'nothing sweeps the log', () => ({ rules: { changelogFactor: 0.01, unsweptBytesMax: 100 } })),
];
