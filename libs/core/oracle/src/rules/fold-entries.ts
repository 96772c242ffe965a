// Collects everything that the machines of a kind say of an input, for callers that have all of it.
import { nameOf, textOf } from '../logs/byte-names.ts';
import type { CommonRules, InputRecord } from '../logs/history.ts';
import { EntriesFold } from './entries-fold.ts';
import type { EntryRules } from './entry-rules.ts';

export interface EntriesFoldOptions {
  /** True if the broker stamped the records, false if producers did. */
  readonly logAppendTime: boolean;
  /** C8. Default: no time is held. */
  readonly heldTime?: Pick<CommonRules, 'unheardMs' | 'maxHoldMs'>;
  /** I7. Default: as much as the product has. */
  readonly room?: Pick<CommonRules, 'entriesMax' | 'stateBytesMax'>;
}

export interface FoldedEntries<Said> {
  /** In order, by key: with a character per byte, and as text. Keys without records are left out. */
  readonly saidByName: ReadonlyMap<string, readonly Said[]>;
  readonly saidByText: ReadonlyMap<string, readonly Said[]>;
  /** Offsets of the records that belong in the dead letters, and of the keyed ones that do not. */
  readonly refused: readonly number[];
  readonly taken: readonly number[];
}

/** `records`: committed, in offset order. */
export function foldEntries<State, Said>(
  records: readonly InputRecord[],
  kind: EntryRules<State, Said>,
  { logAppendTime, heldTime = { unheardMs: 0, maxHoldMs: 0 }, room }: EntriesFoldOptions,
): FoldedEntries<Said> {
  const saidByName = new Map<string, Said[]>();
  const saidByText = new Map<string, Said[]>();
  const rules: CommonRules = {
    timestampType: logAppendTime ? 'LogAppendTime' : 'CreateTime',
    maxKeyBytes: Infinity,
    ...heldTime,
    ...room,
  };
  const fold = new EntriesFold({
    rules,
    counts: { opened: 0, duplicates: 0, badRecords: 0, clockRecords: 0, formerTypeRecords: 0 },
    kind,
    onSaid: (key, said) => {
      if (said.length === 0) return;
      add(saidByName, nameOf(key), said);
      add(saidByText, textOf(key), said);
    },
  });
  for (const record of records) fold.record({ ...record, logAppendTime });
  const refused = fold.takeBad();
  const bad = new Set(refused);
  const keyed = records.filter(({ key, offset }) => key !== null && !bad.has(offset));
  return { saidByName, saidByText, refused, taken: keyed.map(({ offset }) => offset) };
}

function add<Said>(all: Map<string, Said[]>, name: string, said: readonly Said[]): void {
  const known = all.get(name);
  if (known === undefined) all.set(name, [...said]);
  else for (const each of said) known.push(each);
}
