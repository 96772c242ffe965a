// Compares the output with the decisions of each commit: every record once, in that commit's transaction, with the content that
// the input gives it (V1, V2, V3, V4, O1, O2, O4).
//
// Owns: one transaction of the output at a time.
// Does not own: the records expected (KindEntries).
//
// Invariants
//   OC1  The records of one commit lie in one transaction of the output, of the same producer, and those of two commits in
//        two: so transactions and commits are matched in order, and memory is one transaction.
//   OC2  A record that stands (follow) does so until it is taken, or the rules change: however often a transaction is looked at,
//        each of its records is found to stand once.
import type { Millis } from '@flatline/base';
import { nameOf, textOf } from '../logs/byte-names.ts';
import type { DelayCauses } from './delay-cause.ts';
import type { Fed, Feed } from './feed.ts';
import type { CommonRules, OutputRecord } from '../logs/history.ts';
import { isBehind, isBelow, type Positions, positionsText } from '../logs/places.ts';
import type { ExpectedRecord, KindReading, OutputWords } from '../rules/reading.ts';
import type { Place } from './place.ts';
import { SaidQueue } from '../rules/said-queue.ts';
import type { RouteCheck } from './route-check.ts';
import type { Findings } from './report.ts';
import { type TransactionMark, writerOf } from './transaction-walk.ts';

/** Output that one commit owes. */
export interface Decision {
  readonly expected: readonly ExpectedRecord[];
  /** Ids of records written too early, which were reported already. */
  readonly early: ReadonlySet<string>;
  readonly positions: Positions;
  readonly transaction: TransactionMark | undefined;
  readonly commitId: string;
  /** The commit's number. */
  readonly sequence: number;
  /** When the commit was appended, where that can be compared with deadlines (V9). */
  readonly appendedAt: Millis | undefined;
  readonly clock: Millis;
  /** True if it stands for all commits before it too: its records lie in several transactions. */
  readonly isFirst: boolean;
}

export interface OutputCheckParts {
  readonly place: Place;
  readonly feed: Feed<OutputRecord>;
  readonly reading: KindReading;
  readonly findings: Findings;
  readonly delayCauses: DelayCauses;
  /** False: records missing before the first match were deleted. */
  readonly isWhole: boolean;
  /** Records that end above it may belong to commits that are not here. */
  readonly decidedBelow: number;
  /** Where tombstones are off, those from before may still be there. */
  readonly rules: CommonRules;
  /** undefined: it has no routes. */
  readonly routes?: RouteCheck | undefined;
  /** True if commits that are not judged may have used other settings. */
  readonly settingsVary: boolean;
}

type Group = readonly Fed<OutputRecord>[];

/** Records remembered so that a second one can name the offset of the first. */
const RECENT_MAX = 10_000;

export class OutputCheck {
  readonly #parts: OutputCheckParts;
  /** Earliest beginning that can be judged: the input no longer tells of earlier ones. */
  judgedFrom: Positions = [];
  /** Input offset: records brought about below it and not said yet are forgotten. */
  #letGoBelow: Positions = [];
  #group: Group | undefined;
  /** Number of the group's first records that are known to stand (OC2). */
  #standing = 0;
  #hasMatched = false;
  #isAnchored: boolean;
  #isOtherwise = false;
  /** Incarnation of the first last word without a tombstone, where tombstones are off: none follow it. */
  #firstWithout: string | undefined;
  /** Name of the key and id → output offset. */
  readonly #recent = new Map<string, number>();

  constructor(parts: OutputCheckParts) {
    this.#parts = parts;
    this.#isAnchored = parts.isWhole;
  }

  async check(decision: Decision): Promise<void> {
    if (decision.early.size === 0 && decision.expected.every(({ text }) => this.#isUnsure(text))) return;
    this.#measure(decision);
    const mayBeDeleted = !this.#parts.isWhole && (decision.isFirst || !this.#isAnchored);
    const owed = new Owed(decision, this.#parts.reading.words, mayBeDeleted);
    for (let group = await this.#peek(); group !== undefined; group = await this.#peek()) {
      const sure = this.#sureOf(group);
      const isMatch = sure.some(({ record }) => owed.names(record));
      if (!isMatch && sure.length > 0 && (!this.#isAnchored || this.#mayBeLater(sure, decision.positions))) break;
      this.#group = undefined;
      this.#hasMatched ||= isMatch;
      await this.#judge(group, owed, isMatch && !decision.isFirst ? decision.sequence : undefined);
      if (!isMatch) continue;
      // Everything let go had taken effect by the first commit.
      if (!decision.isFirst) this.#letGoBelow = [];
      if (!this.#isAnchored) owed.clear();
      this.#isAnchored = true;
      if (decision.isFirst && owed.left().length > 0) continue;
      if (!decision.isFirst) this.#checkTransaction(group, decision);
      break;
    }
    if (!this.#isAnchored || (!this.#parts.isWhole && decision.isFirst))
      this.#parts.place.undecided('closes before its first record: the log begins above 0');
    else for (const expected of owed.left()) this.#missing(expected, decision.commitId);
  }

  /**
   * Follows the output through commits whose state the changelog no longer has, while every record of a transaction `stands`. The
   * rest is looked for with the first commit whose state it has.
   */
  async follow(
    folded: Positions,
    stands: (name: string, id: string) => boolean,
    onSaid: (said: ExpectedRecord) => void,
  ): Promise<void> {
    const { fold, words } = this.#parts.reading;
    const taken = {
      take: (name: string, id: string): Taken => {
        const found = fold.takeSaid(name, id);
        if (found === undefined) return { kind: 'unknown' };
        onSaid(found.expected);
        // Earlier ones may have been deleted.
        return { kind: 'owed', ...found, isOutOfOrder: found.isOutOfOrder && this.#parts.isWhole };
      },
    };
    const isSaid = ({ record }: Fed<OutputRecord>, group: Group): boolean => {
      const { key, value } = record;
      if (key === null) return false;
      if (value === null && (words.finalOf === undefined || isAccompanied(record, group))) return true;
      const id = value === null ? words.finalOf?.(record) : words.idOf(record);
      if (id === undefined) return false;
      const name = nameOf(key);
      return stands(name, id) || (this.#wasLetGo(record) && !fold.mayComeLater(name, id, record, folded));
    };
    for (let group = await this.#peek(); group !== undefined; group = await this.#peek()) {
      while (this.#standing < group.length && isSaid(group[this.#standing]!, group)) this.#standing += 1;
      if (this.#standing < group.length) return;
      this.#group = undefined;
      this.#isAnchored = true;
      await this.#judge(group, taken);
    }
  }

  get isWhole(): boolean {
    return this.#parts.isWhole;
  }

  /** Forgets what came about below the input offset and was not said yet: the log may have lost it. */
  letGo(below: Positions): void {
    this.#letGoBelow = below;
  }

  /** True if the record was forgotten, or may have been: one that does not say when it began. */
  #wasLetGo(record: OutputRecord): boolean {
    return this.#letGoBelow.length > 0 && !isBehind(this.#parts.reading.words.beginningOf(record), this.#letGoBelow);
  }

  #measure({ expected, appendedAt, clock, isFirst }: Decision): void {
    if (appendedAt === undefined || isFirst) return;
    const { findings, delayCauses } = this.#parts;
    for (const { dueAt } of expected)
      if (dueAt !== undefined) findings.delay(appendedAt - dueAt, delayCauses.of(dueAt, { clock, appendedAt }));
  }

  /** Judges the groups left once all commits are checked: they belong to none of them. */
  async finish(): Promise<void> {
    const nothing = new Owed({ expected: [], early: new Set() }, this.#parts.reading.words, false);
    for (let group = await this.#peek(); group !== undefined; group = await this.#peek()) {
      this.#group = undefined;
      if (group[0]!.record.offset < this.#parts.decidedBelow) await this.#judge(group, nothing);
      else this.#parts.place.undecided('closes of commits that came while this was read');
    }
  }

  /** Returns all next records of one transaction, or a single one that is of none. */
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
    this.#standing = 0;
    return this.#group;
  }

  /** The records by which a commit recognizes its transaction: none that the processor may have computed otherwise, if it says so. */
  #sureOf(group: Group): Group {
    const { words } = this.#parts.reading;
    this.#isOtherwise ||= group.some(({ record }) => words.otherReckoning?.(record) !== undefined);
    return group.filter(({ record: { key } }) => key === null || !this.#isUnsure(textOf(key)));
  }

  #isUnsure(key: string): boolean {
    return this.#isOtherwise && this.#parts.reading.mayBeOtherwise?.(key) === true;
  }

  /** True if a commit behind `positions`, or a later look at what lives, may account for a record of the group. */
  #mayBeLater(group: Group, positions: Positions): boolean {
    const { fold, words } = this.#parts.reading;
    return group.some(({ record, transaction }) => {
      const { key, value } = record;
      if (transaction === undefined || key === null) return false;
      const id = value === null ? words.finalOf?.(record) : words.idOf(record);
      return id !== undefined && fold.mayComeLater(nameOf(key), id, record, positions);
    });
  }

  /** `sequence`: of the commit whose transaction it is, where that is known. */
  async #judge(group: Group, owed: Pick<Owed, 'take'>, sequence?: number): Promise<void> {
    this.#judgeEach(group, owed);
    await this.#parts.routes?.check(
      group.map(({ record }) => record),
      sequence,
      writerOf(group[0]!.transaction),
    );
  }

  #judgeEach(group: Group, owed: Pick<Owed, 'take'>): void {
    const pending = new Map<string, string>();
    for (const { record, transaction } of group) {
      if (record.key === null) this.#parts.place.violation('O2', { offset: record.offset, what: 'has no key' });
      else if (record.value !== null) this.#said(record, record.key, { owed, pending });
      else if (this.#isAnchored || transaction !== undefined) this.#tombstone(record, record.key, { owed, pending });
    }
    if (group[0]!.transaction === undefined) return;
    for (const [name, incarnation] of pending) this.#withoutTombstone(group[0]!.record.offset, name, incarnation);
  }

  get #hasTombstones(): boolean {
    return this.#parts.rules.tombstones ?? true;
  }

  /** True once everything said by unjudged commits lies behind: it precedes all that judged commits say. */
  get #knowsTombstones(): boolean {
    return !this.#parts.settingsVary || this.judgedFrom.length === 0 || this.#hasMatched;
  }

  /** Tombstones may have been turned on again. */
  rulesChanged(): void {
    this.#standing = 0;
    if (this.#hasTombstones) this.#firstWithout = undefined;
  }

  #withoutTombstone(offset: number, key: string, incarnation: string): void {
    if (!this.#knowsTombstones) return;
    if (!this.#hasTombstones) this.#firstWithout ??= incarnation;
    else this.#parts.place.violation('O2', { offset, key, what: `no tombstone of ${incarnation} in its transaction` });
  }

  #said(
    record: OutputRecord,
    key: Uint8Array,
    { owed, pending }: { readonly owed: Pick<Owed, 'take'>; readonly pending: Map<string, string> },
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
    if (other !== undefined) this.#parts.findings.withdraw(`${place.topic}-${place.partition}: ${other}`);
    for (const what of words.contradictions(record)) place.violation('O2', { ...where, what });
    const former = pending.get(where.key);
    pending.delete(where.key);
    if (former !== undefined) this.#withoutTombstone(where.offset, where.key, former);
    const incarnation = words.lastOf(record);
    if (incarnation !== undefined) pending.set(where.key, incarnation);
    const taken = owed.take(nameOf(key), id);
    const mayFollow = taken.kind === 'owed' ? taken.expected.isRevisable : words.mayBeRevisable?.();
    if (mayFollow === true) pending.delete(where.key);
    if (taken.kind === 'unknown') this.#extra(record, key, id);
    if (taken.kind !== 'owed') return;
    if (taken.isOutOfOrder) place.violation('O4', { ...where, what: `${id} comes before an earlier one of its key` });
    this.#compare(record, taken.expected);
  }

  #tombstone(
    record: OutputRecord,
    key: Uint8Array,
    { owed, pending }: { readonly owed: Pick<Owed, 'take'>; readonly pending: Map<string, string> },
  ): void {
    const { offset, incarnation } = record;
    const text = textOf(key);
    const expected = pending.get(text);
    pending.delete(text);
    if (expected === undefined && this.#isFinal(record, key, owed)) return;
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

  /** S9: a tombstone that stands alone is owed, or of what cannot be judged. */
  #isFinal(record: OutputRecord, key: Uint8Array, owed: Pick<Owed, 'take'>): boolean {
    const { place, reading } = this.#parts;
    const id = reading.words.finalOf?.(record);
    if (id === undefined) return false;
    const taken = owed.take(nameOf(key), id);
    if (taken.kind === 'unknown' && isBelow(reading.words.beginningOf(record), this.judgedFrom)) return true;
    if (taken.kind !== 'owed') return taken.kind === 'early';
    const where = { offset: record.offset, key: textOf(key) };
    if (taken.isOutOfOrder) place.violation('O4', { ...where, what: `${id} comes before an earlier one of its key` });
    this.#compare(record, taken.expected);
    return true;
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
    if (isBelow(reading.words.beginningOf(record), this.judgedFrom)) {
      place.undecided(`what is said of what began before input offset ${positionsText(this.judgedFrom)}`);
      return;
    }
    if (this.#wasLetGo(record)) {
      place.undecided(
        'what its first records say: the log begins above 0, and what came before is too much to be held',
      );
      return;
    }
    const where = { offset: record.offset, key: textOf(key) };
    const name = nameOf(key);
    const early = reading.fold.whyEarly(name, record);
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

/** Records of one commit that have not been seen on the output, by key in log order. */
class Owed {
  readonly #words: OutputWords;
  readonly #all = new SaidQueue<ExpectedRecord>();
  readonly #early: ReadonlySet<string>;
  readonly #mayBeDeleted: boolean;

  /** `mayBeDeleted`: some may be gone, so gaps do not break the order. */
  constructor({ expected, early }: Pick<Decision, 'expected' | 'early'>, words: OutputWords, mayBeDeleted: boolean) {
    this.#words = words;
    this.#mayBeDeleted = mayBeDeleted;
    this.#early = early;
    for (const each of expected) this.#all.add(each);
  }

  names(record: OutputRecord): boolean {
    const { key, value } = record;
    const id = key === null ? undefined : value === null ? this.#words.finalOf?.(record) : this.#words.idOf(record);
    if (key === null || id === undefined) return false;
    return this.#early.has(id) || this.#all.has(nameOf(key), id);
  }

  take(name: string, id: string): Taken {
    const found = this.#all.take(name, id);
    if (found !== undefined) return { kind: 'owed', ...found, isOutOfOrder: found.isOutOfOrder && !this.#mayBeDeleted };
    return { kind: this.#early.has(id) ? 'early' : 'unknown' };
  }

  left(): readonly ExpectedRecord[] {
    return this.#all.all();
  }

  clear(): void {
    this.#all.takeAll();
  }
}

/** True if the tombstone comes with a last word of its incarnation. */
function isAccompanied({ key, incarnation, offset }: OutputRecord, group: Group): boolean {
  return group.some(
    ({ record }) =>
      record.offset < offset &&
      record.value !== null &&
      record.incarnation === incarnation &&
      key !== null &&
      record.key !== null &&
      nameOf(record.key) === nameOf(key),
  );
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
