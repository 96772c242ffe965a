// Mutants of writers and transactions, and of the local store.
import { assert, type Mutable } from '@flatline/base';
import { endOf, type HistoryMutant, lastData, lastOf, mutant } from '@flatline/lab-kinds/histories';
import type { BatchMark } from '@flatline/oracle';

export const TRANSACTIONS: readonly HistoryMutant[] = [
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
  mutant('O1', 'closes are committed by another producer epoch than their blocks', ({ output }) => {
    for (const batch of output.batches as Mutable<BatchMark>[]) batch.producerEpoch += 1;
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
];
