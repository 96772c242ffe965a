// Damaged blocks of a kind's changelog (F14).
import { expect } from '@jest/globals';
import { MalformedBytes } from '@flatline/base';
import { fuzz } from '@flatline/base/fuzz';
import type { EntryFormat } from '@flatline/kinds';
import { Changelog } from '../changelog/changelog.ts';
import { Checkpoints } from '../checkpoint/checkpoints.ts';
import { EntryTable } from '../entries/entry-table.ts';
import { Restoration } from '../index.ts';
import { applyBlock, options } from '../task.fixture.ts';

const regressions = new URL('../fuzz-regressions.txt', import.meta.url);
const CASES = 1_500;

/**
 * Damages each block of a log, and applies it first of all, and behind the others: it is applied, or refused as malformed or as
 * breaking the chain. The last block is to be of a commit that changes entries of those before.
 */
export function fuzzChangelog(
  name: string,
  { blocks }: { readonly blocks: readonly Uint8Array[] },
  format: EntryFormat,
): void {
  const before = blocks.slice(0, -1);
  expect(liveIn(format, before)).toBeGreaterThan(0);
  expect(liveIn(format, blocks)).toBeGreaterThan(0);
  const feed = (damaged: Uint8Array): void => {
    for (const intact of [[], before]) {
      try {
        liveIn(format, [...intact, damaged]);
      } catch (error) {
        if (!(error instanceof MalformedBytes)) throw error;
      }
    }
  };
  fuzz({ name, corpus: blocks, regressions, feed }, CASES);
}

/** Number of entries that these blocks restore. */
function liveIn(format: EntryFormat, blocks: readonly Uint8Array[]): number {
  const { changelog: limits, blockMemory, takenRowBytesMax } = options();
  const table = new EntryTable(1, format);
  const changelog = new Changelog(table, limits, blockMemory);
  const restoration = new Restoration(table, changelog, new Checkpoints(table, changelog, takenRowBytesMax));
  blocks.forEach((block, offset) => applyBlock(restoration, block, offset));
  return table.size;
}
