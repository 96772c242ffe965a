// Records written by a partition's tasks, as the transaction coordinator decided on them: neither truncation nor an election
// removes any.
import type { EndedTransaction, LogBatch, LogRecord, Simulation } from '@flatline/cluster';
import { type BlockHeader, type ChangelogBlock, readBlock } from '@flatline/oracle';
import { CHANGELOG, OUTPUT } from '../pipeline-names.ts';

export interface DecidedCommit {
  readonly transaction: EndedTransaction;
  readonly header: BlockHeader;
  readonly blockBytes: number;
  /** Its records on the output. */
  readonly outputs: readonly LogRecord[];
}

export function writtenTo({ writes }: EndedTransaction, topic: string, partition: number): readonly LogBatch[] {
  return writes.find((each) => each.topic === topic && each.partition === partition)?.written ?? [];
}

export function recordsOf(batches: readonly LogBatch[]): readonly LogRecord[] {
  return batches.flatMap(({ records }) => records);
}

/** In the order of the decisions, without claims. */
export function commitsOf(simulation: Simulation, partition: number): DecidedCommit[] {
  return simulation.log.endedTransactions.flatMap((transaction) => {
    const blocks = recordsOf(writtenTo(transaction, CHANGELOG, partition));
    const header = headerOf(transaction, blocks);
    if (header === undefined) return [];
    const blockBytes = blocks.reduce((sum, { value }) => sum + value!.length, 0);
    const outputs = recordsOf(writtenTo(transaction, OUTPUT, partition));
    return [{ transaction, header, blockBytes, outputs }];
  });
}

/** Header of the last commit; undefined: there is none yet. */
export function lastCommit({ log }: Simulation, partition: number): BlockHeader | undefined {
  const { endedTransactions } = log;
  for (let index = endedTransactions.length - 1; index >= 0; index -= 1) {
    const transaction = endedTransactions[index]!;
    const header = headerOf(transaction, recordsOf(writtenTo(transaction, CHANGELOG, partition)));
    if (header !== undefined) return header;
  }
  return undefined;
}

/** Header of a committed transaction with these blocks; undefined: it is no commit of the partition. */
function headerOf({ marker }: EndedTransaction, blocks: readonly LogRecord[]): BlockHeader | undefined {
  if (marker !== 'commit' || blocks.length === 0) return undefined;
  const block = blockIn(blocks.at(-1)!);
  return block.kind === 'claim' ? undefined : block.header;
}

export function blockIn({ value }: LogRecord): ChangelogBlock {
  return readBlock(value!);
}
