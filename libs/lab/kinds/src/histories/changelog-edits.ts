// Searches and changes the changelogs of recorded histories, operation by operation.
import type { Mutable } from '@flatline/base';
import { ChangelogFold, type LogRecord } from '@flatline/oracle';
import { type BlockOperation, bytesOf, type HeadTouch, type LoggedImage, nameOf } from '@flatline/oracle/anatomy';
import { type EditableBlock, putTogether, takeApart } from './block-editor.ts';

/** Blocks that hold state: the recorded commits have one block each. */
export function commits(records: readonly LogRecord[]): LogRecord[] {
  return records.filter(({ value }) => takeApart(value!) !== undefined);
}

export function change(record: LogRecord, how: (block: EditableBlock) => void): void {
  const block = takeApart(record.value!)!;
  how(block);
  (record as Mutable<LogRecord>).value = putTogether(block);
}

type Bind = Extract<BlockOperation, { readonly kind: 'bind' }>;
type Touch = Extract<BlockOperation, { readonly kind: 'touch' }>;
export type PageChange = Extract<BlockOperation, { readonly page: number }>;

export const isBind = (operation: BlockOperation): operation is Bind => operation.kind === 'bind';
export const isTouch = (operation: BlockOperation): operation is Touch => operation.kind === 'touch';
export const isPage = (operation: BlockOperation): operation is PageChange => operation.kind === 'page';
export const isAppend = (operation: BlockOperation): operation is PageChange => operation.kind === 'append';
/** A count that can be one less and takes one byte. */
export const isLaterTouch = (operation: BlockOperation): operation is Touch =>
  isTouch(operation) && operation.touch[0]! >= 4 && operation.touch[0]! < 128;

export function operationsOf(records: readonly LogRecord[]): BlockOperation[] {
  return commits(records).flatMap(({ value }) => takeApart(value!)!.operations);
}

/** Replaces the first such operation by others. */
export function changeFirst<Operation extends BlockOperation>(
  records: readonly LogRecord[],
  isIt: (operation: BlockOperation) => operation is Operation,
  others: (operation: Operation) => readonly BlockOperation[],
): void {
  const record = commits(records).find(({ value }) => takeApart(value!)!.operations.some(isIt));
  change(record!, (block) => {
    const first = block.operations.find(isIt);
    block.operations = block.operations.flatMap((each) => (each === first ? others(first) : [each]));
  });
}

interface NamedCommit {
  readonly record: LogRecord;
  readonly block: EditableBlock;
  /** By slot, the names of the keys removed from it, and of those bound to it. */
  readonly removed: ReadonlyMap<number, string>;
  readonly bound: ReadonlySet<string>;
}

export function namedOperations(records: readonly LogRecord[]): {
  readonly commits: readonly NamedCommit[];
  readonly alive: ReadonlyMap<number, string>;
} {
  const alive = new Map<number, string>();
  const all = commits(records).map((record): NamedCommit => {
    const block = takeApart(record.value!)!;
    const removed = new Map<number, string>();
    const bound = new Set<string>();
    for (const operation of block.operations) {
      if (operation.kind === 'remove') removed.set(operation.slot, alive.get(operation.slot)!);
      if (operation.kind === 'remove') alive.delete(operation.slot);
      if (operation.kind !== 'bind') continue;
      alive.set(operation.slot, nameOf(operation.key));
      bound.add(nameOf(operation.key));
    }
    return { record, block, removed, bound };
  });
  return { commits: all, alive };
}

/** A removal, and a later commit below whose position the key has not come back. */
export function removedForAWhile(
  records: readonly LogRecord[],
  input: readonly LogRecord[],
): { readonly removing: LogRecord; readonly key: Uint8Array; readonly later: LogRecord } {
  const all = namedOperations(records).commits;
  for (const [at, { record: removing, block, removed, bound }] of all.entries()) {
    const later = all[at + 3];
    const [from, end] = [block.header.position, later?.block.header.position ?? 0];
    const cameBack = (name: string): boolean =>
      input.some(({ key, offset }) => key !== null && nameOf(key) === name && offset >= from && offset < end);
    // A removal may come with the bind of the key's next life.
    const found = [...removed.values()].find((name) => !bound.has(name) && !cameBack(name));
    if (found !== undefined && later !== undefined) return { removing, key: bytesOf(found), later: later.record };
  }
  throw new Error('every key came back at once');
}

/** `touched`: applies a touch to a head. */
export function lastImageBefore(
  records: readonly LogRecord[],
  touched: HeadTouch,
  end: LogRecord,
  key: Uint8Array,
): LoggedImage {
  const fold = new ChangelogFold(touched);
  for (const { offset, value } of commits(records).filter((each) => each.offset < end.offset)) {
    const { header, operations } = takeApart(value!)!;
    for (const operation of operations) fold.apply(operation, { offset, ...header });
  }
  return fold.images.get(nameOf(key))!;
}

/** A commit that binds a live slot again, so that a later floor may pass its old base; and that slot. */
export function sweptBind(records: readonly LogRecord[]): { readonly record: LogRecord; readonly slot: number } {
  const bases = new Map<number, { readonly record: LogRecord; readonly before: number | undefined }>();
  for (const record of commits(records)) {
    const { header, operations } = takeApart(record.value!)!;
    for (const { slot, kind } of operations) {
      if (kind === 'remove') bases.delete(slot);
      if (kind === 'bind') bases.set(slot, { record, before: bases.get(slot)?.record.offset });
    }
    const passed = [...bases].find(([, { before = Infinity }]) => before < header.floor);
    if (passed !== undefined) return { slot: passed[0], record: passed[1].record };
  }
  throw new Error('no floor has passed the old base of what lives');
}

/** A commit that begins an entry, and its slot: next comes a touch, not a bind by the sweep, which would repeat everything. */
export function firstBind(records: readonly LogRecord[]): { readonly record: LogRecord; readonly slot: number } {
  const begun = new Map<number, LogRecord | undefined>();
  for (const record of commits(records))
    for (const operation of takeApart(record.value!)!.operations) {
      const { slot, kind } = operation;
      const beginning = begun.get(slot);
      if (beginning !== undefined && isTouch(operation)) return { record: beginning, slot };
      if (kind === 'remove') begun.delete(slot);
      else begun.set(slot, isBind(operation) && !begun.has(slot) ? record : undefined);
    }
  throw new Error('no touch follows a bind');
}
