// The output against what each commit decided: every record once, in that commit's transaction, saying what the input says
// (V1, V2, V3, V4, O1, O2, O4).
//
// Owns: one transaction of the output at a time.      Does not own: what had to be said (KindEntries).
//
// Invariants
//   OC1  The records of one commit lie in one transaction of the output, of the same producer, and those of two commits in
//        two: so transactions and commits are matched in order, and memory is one transaction.
import type { Millis } from '@flatline/base';
import { nameOf, textOf } from '../logs/byte-names.ts';
import type { Fed, Feed } from './feed.ts';
import type { OutputRecord } from '../logs/history.ts';
import type { ExpectedRecord, KindReading, OutputWords } from '../rules/reading.ts';
import type { Place } from './place.ts';
import type { Findings } from './report.ts';
import type { TransactionMark } from './transaction-walk.ts';

/** What one commit owes to the output. */
export interface Decision {
  readonly expected: readonly ExpectedRecord[];
  /** Ids of what was said early: it is known already, and not said again. */
  readonly early: ReadonlySet<string>;
  readonly position: number;
  readonly transaction: TransactionMark | undefined;
  readonly commitId: string;
  /** When the commit was appended, where that can be compared with deadlines (V9). */
  readonly appendedAt: Millis | undefined;
  /** It stands for all commits before it too: its records lie in several transactions. */
  readonly isFirst: boolean;
}

export interface OutputCheckParts {
  readonly place: Place;
  readonly feed: Feed<OutputRecord>;
  readonly reading: KindReading;
  readonly findings: Findings;
  /** False: what is missing before the first match was deleted. */
  readonly isWhole: boolean;
  /** Records above it may belong to commits that are not here. */
  readonly decidedBelow: number;
  /** Without them those from before they were turned off may be there. */
  readonly tombstones: boolean;
}

type Group = readonly Fed<OutputRecord>[];

/** What rests on the fold of the input. */
const BY_THE_FOLD = ['V1', 'V2', 'V3', 'V4', 'V5', 'V11'];

/** Records remembered to say of a second one where the first was. */
const RECENT_MAX = 10_000;

export class OutputCheck {
  readonly #parts: OutputCheckParts;
  /** What began earlier cannot be judged: the input no longer tells of it. */
  judgedFrom = 0;
  #group: Group | undefined;
  #isAnchored: boolean;
  /** Incarnation of the first last word without a tombstone, where they are turned off: from then on there are none. */
  #firstWithout: string | undefined;
  /** Name of the key and id → output offset. */
  readonly #recent = new Map<string, number>();

  constructor(parts: OutputCheckParts) {
    this.#parts = parts;
    this.#isAnchored = parts.isWhole;
  }

  async check(decision: Decision): Promise<void> {
    if (decision.expected.length === 0 && decision.early.size === 0) return;
    this.#measure(decision);
    const owed = new Owed(decision, this.#parts.reading.words);
    for (let group = await this.#peek(); group !== undefined; group = await this.#peek()) {
      const isMatch = group.some(({ record }) => owed.names(record));
      if (!isMatch && (!this.#isAnchored || this.#mayBeLater(group, decision.position))) break;
      this.#group = undefined;
      this.#judge(group, owed);
      if (!isMatch) continue;
      if (!this.#isAnchored) owed.clear();
      this.#isAnchored = true;
      if (decision.isFirst && owed.left().length > 0) continue;
      if (!decision.isFirst) this.#checkTransaction(group, decision);
      break;
    }
    if (!this.#isAnchored) this.#parts.place.undecided('closes before its first record: the log begins above 0');
    else for (const expected of owed.left()) this.#missing(expected, decision.commitId);
  }

  #measure({ expected, appendedAt, isFirst }: Decision): void {
    if (appendedAt === undefined || isFirst) return;
    for (const { dueAt } of expected) if (dueAt !== undefined) this.#parts.findings.delay(appendedAt - dueAt);
  }

  /** What is left when all commits are checked belongs to none of them. */
  async finish(): Promise<void> {
    const nothing = new Owed({ expected: [], early: new Set() }, this.#parts.reading.words);
    for (let group = await this.#peek(); group !== undefined; group = await this.#peek()) {
      this.#group = undefined;
      if (group[0]!.record.offset < this.#parts.decidedBelow) this.#judge(group, nothing);
      else this.#parts.place.undecided('closes of commits that came while this was read');
    }
  }

  /** All next records of one transaction; one record where it is of none. */
  async #peek(): Promise<Group | undefined> {
    const { feed, findings } = this.#parts;
    if (this.#group !== undefined) return this.#group;
    const group: Fed<OutputRecord>[] = [];
    while (await feed.fill()) {
      const { next } = feed;
      const first = group[0];
      if (next === undefined || (first !== undefined && !isSameTransaction(first, next))) break;
      group.push(next);
      feed.take();
      findings.records.output += 1;
    }
    this.#group = group.length === 0 ? undefined : group;
    return this.#group;
  }

  /** Whether a commit behind `position`, or a later look at what lives, may account for a record of it. */
  #mayBeLater(group: Group, position: number): boolean {
    const { entries, words } = this.#parts.reading;
    return group.some(({ record, transaction }) => {
      const { key, value } = record;
      if (transaction === undefined || key === null || value === null) return false;
      const id = words.idOf(record);
      return id !== undefined && entries.mayComeLater(nameOf(key), id, record, position);
    });
  }

  #judge(group: Group, owed: Owed): void {
    const pending = new Map<string, string>();
    for (const { record, transaction } of group) {
      if (record.key === null) this.#parts.place.violation('O2', { offset: record.offset, what: 'has no key' });
      else if (record.value !== null) this.#said(record, record.key, { owed, pending });
      else if (this.#isAnchored || transaction !== undefined) this.#tombstone(record, record.key, pending);
    }
    if (group[0]!.transaction === undefined) return;
    for (const [name, incarnation] of pending) this.#withoutTombstone(group[0]!.record.offset, name, incarnation);
  }

  #withoutTombstone(offset: number, key: string, incarnation: string): void {
    const { place, tombstones } = this.#parts;
    if (!tombstones) this.#firstWithout ??= incarnation;
    else place.violation('O2', { offset, key, what: `no tombstone of ${incarnation} in its transaction` });
  }

  #said(
    record: OutputRecord,
    key: Uint8Array,
    { owed, pending }: { readonly owed: Owed; readonly pending: Map<string, string> },
  ): void {
    const { place, reading } = this.#parts;
    const { words } = reading;
    const where = { offset: record.offset, key: textOf(key) };
    const id = words.idOf(record);
    if (id === undefined) {
      place.violation('V4', { ...where, what: 'its value, or its headers, are none that can be read' });
      return;
    }
    const other = words.otherReckoning?.(record);
    if (other !== undefined) this.#parts.findings.withdraw(BY_THE_FOLD, `${place.topic}-${place.partition}: ${other}`);
    for (const what of words.contradictions(record)) place.violation('O2', { ...where, what });
    const former = pending.get(where.key);
    pending.delete(where.key);
    if (former !== undefined && !this.#parts.tombstones) this.#firstWithout ??= former;
    else if (former !== undefined) place.violation('O2', { ...where, what: `comes before the tombstone of ${former}` });
    const incarnation = words.lastOf(record);
    if (incarnation !== undefined) pending.set(where.key, incarnation);
    const taken = owed.take(nameOf(key), id);
    if (taken.kind === 'unknown') this.#extra(record, key, id);
    if (taken.kind !== 'owed') return;
    if (taken.isOutOfOrder) place.violation('O4', { ...where, what: `${id} comes before an earlier one of its key` });
    this.#compare(record, taken.expected);
  }

  #tombstone({ offset, incarnation }: OutputRecord, key: Uint8Array, pending: Map<string, string>): void {
    const text = textOf(key);
    const expected = pending.get(text);
    pending.delete(text);
    if (this.#firstWithout !== undefined)
      this.#parts.place.violation('O2', {
        offset,
        key: text,
        what: `a tombstone of ${incarnation ?? 'no incarnation'}: there are none from the close of ${this.#firstWithout} on (output.tombstones)`,
      });
    if (expected === undefined || expected !== incarnation)
      this.#parts.place.violation('O2', {
        offset,
        key: text,
        what: `a tombstone of ${incarnation ?? 'no incarnation'} where ${expected === undefined ? 'no last word came before' : `that of ${expected} must be`}`,
      });
  }

  #compare(record: OutputRecord, expected: ExpectedRecord): void {
    const { place, findings } = this.#parts;
    if (expected.ending !== undefined) findings.closed += 1;
    this.#remember(expected, record.offset);
    const fault = expected.compare(record);
    if (fault !== undefined)
      place.violation(fault.rule, { offset: record.offset, key: expected.text, what: fault.what });
  }

  #extra(record: OutputRecord, key: Uint8Array, id: string): void {
    const { place, reading } = this.#parts;
    if (reading.words.beginningOf(record) < this.judgedFrom) {
      place.undecided(`what is said of what began before input offset ${this.judgedFrom}`);
      return;
    }
    const where = { offset: record.offset, key: textOf(key) };
    const name = nameOf(key);
    const early = reading.entries.whyEarly(name, record);
    const before = this.#recent.get(placeOf(name, id));
    if (early !== undefined) place.violation('V3', { ...where, what: `${id} is said too early: ${early}` });
    else
      place.violation('V1', {
        ...where,
        what:
          before === undefined
            ? `${id} is said, but nothing in the input calls for it`
            : `${id} is said a second time; the first is at offset ${before}`,
      });
  }

  #missing({ text, id, why }: ExpectedRecord, commitId: string): void {
    this.#parts.place.violation('V1', {
      key: text,
      what: `${id} is not said: by the input and the changelog, commit ${commitId} brought it about (${why})`,
    });
  }

  #checkTransaction(group: Group, { transaction, commitId }: Decision): void {
    const { record, transaction: found } = group[0]!;
    if (found?.producerId === transaction?.producerId && found?.producerEpoch === transaction?.producerEpoch) return;
    const name = (mark: TransactionMark | undefined): string =>
      mark === undefined ? 'none' : `producer ${mark.producerId}, epoch ${mark.producerEpoch}`;
    this.#parts.place.violation('O1', {
      offset: record.offset,
      what: `the output of commit ${commitId} is in another transaction (${name(found)}) than its blocks (${name(transaction)})`,
    });
  }

  #remember({ name, id }: ExpectedRecord, offset: number): void {
    this.#recent.set(placeOf(name, id), offset);
    if (this.#recent.size <= RECENT_MAX) return;
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest);
      return;
    }
  }
}

type Taken =
  | { readonly kind: 'owed'; readonly expected: ExpectedRecord; readonly isOutOfOrder: boolean }
  | { readonly kind: 'early' | 'unknown' };

/** The records of one commit that have not been seen on the output, by key in the order of the log. */
class Owed {
  readonly #words: OutputWords;
  readonly #byName = new Map<string, ExpectedRecord[]>();
  readonly #early: ReadonlySet<string>;

  constructor({ expected, early }: Pick<Decision, 'expected' | 'early'>, words: OutputWords) {
    this.#words = words;
    this.#early = early;
    for (const each of expected) {
      const former = this.#byName.get(each.name);
      if (former === undefined) this.#byName.set(each.name, [each]);
      else former.push(each);
    }
  }

  names(record: OutputRecord): boolean {
    const { key, value } = record;
    const id = key === null || value === null ? undefined : this.#words.idOf(record);
    if (key === null || id === undefined) return false;
    return this.#early.has(id) || (this.#byName.get(nameOf(key)) ?? []).some((each) => each.id === id);
  }

  take(name: string, id: string): Taken {
    const owed = this.#byName.get(name) ?? [];
    const index = owed.findIndex((each) => each.id === id);
    if (index < 0) return { kind: this.#early.has(id) ? 'early' : 'unknown' };
    return { kind: 'owed', expected: owed.splice(index, 1)[0]!, isOutOfOrder: index > 0 };
  }

  left(): ExpectedRecord[] {
    return [...this.#byName.values()].flat();
  }

  clear(): void {
    this.#byName.clear();
  }
}

function placeOf(name: string, id: string): string {
  return `${id} ${name}`;
}

function isSameTransaction({ transaction: a }: Fed<OutputRecord>, { transaction: b }: Fed<OutputRecord>): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.producerId === b.producerId &&
    a.producerEpoch === b.producerEpoch &&
    a.ordinal === b.ordinal
  );
}
