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
    if (transaction.marker !== 'commit' || blocks.length === 0) return [];
    const block = blockIn(blocks.at(-1)!);
    if (block.kind === 'claim') return [];
    const blockBytes = blocks.reduce((sum, { value }) => sum + value!.length, 0);
    const outputs = recordsOf(writtenTo(transaction, OUTPUT, partition));
    return [{ transaction, header: block.header, blockBytes, outputs }];
  });
}

export function blockIn({ value }: LogRecord): ChangelogBlock {
  return readBlock(value!);
}
