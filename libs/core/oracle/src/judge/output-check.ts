// The output against what each commit decided: every close once, in that commit's transaction, saying what the input says
// (V1, V2, V3, V4, O1, O2, O4).
//
// Owns: one transaction of the output at a time.      Does not own: what had to close (StateCheck, NaiveFold).
//
// Invariants
//   OC1  The closes of one commit lie in one transaction of the output, of the same producer, and those of two commits in
//        two: so transactions and commits are matched in order, and memory is one transaction.
import type { Millis } from '@flatline/base';
import { nameOf, textOf } from '../logs/byte-names.ts';
import { type ExpectedClose, summaryDifferences } from '../rules/session/expected-close.ts';
import type { Fed, Feed } from './feed.ts';
import type { OutputRecord } from '../logs/history.ts';
import type { NaiveFold } from '../rules/session/naive-fold.ts';
import type { Place } from './place.ts';
import type { Findings } from './report.ts';
import type { TransactionMark } from './transaction-walk.ts';

/** What one commit owes to the output. */
export interface Decision {
  readonly closes: readonly ExpectedClose[];
  /** Incarnations closed early: said already, their summaries are not said again. */
  readonly early: ReadonlySet<string>;
  readonly position: number;
  readonly transaction: TransactionMark | undefined;
  readonly commitId: string;
  /** When the commit was appended, where that can be compared with deadlines (V9). */
  readonly appendedAt: Millis | undefined;
  /** It stands for all commits before it too: its closes lie in several transactions. */
  readonly isFirst: boolean;
}

export interface OutputCheckParts {
  readonly place: Place;
  readonly feed: Feed<OutputRecord>;
  readonly fold: NaiveFold;
  readonly findings: Findings;
  /** False: what is missing before the first match was deleted. */
  readonly isWhole: boolean;
  /** Closes above it may belong to commits that are not here. */
  readonly decidedBelow: number;
  /** Without them those of closes before they were turned off may be there. */
  readonly tombstones: boolean;
}

type Group = readonly Fed<OutputRecord>[];

/** Closes remembered to say of a second one where the first was. */
const RECENT_MAX = 10_000;

export class OutputCheck {
  readonly #parts: OutputCheckParts;
  /** Closes of earlier incarnations cannot be judged: the input no longer tells of them. */
  judgedFrom = 0;
  #group: Group | undefined;
  #isAnchored: boolean;
  /** Incarnation of the first close without a tombstone, where they are turned off: from then on there are none. */
  #firstWithout: string | undefined;
  /** Incarnation → output offset. */
  readonly #recent = new Map<string, number>();

  constructor(parts: OutputCheckParts) {
    this.#parts = parts;
    this.#isAnchored = parts.isWhole;
  }

  async check(decision: Decision): Promise<void> {
    if (decision.closes.length === 0 && decision.early.size === 0) return;
    this.#measure(decision);
    const owed = new Owed(decision);
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
    else for (const close of owed.left()) this.#missing(close, decision.commitId);
  }

  #measure({ closes, appendedAt, isFirst }: Decision): void {
    if (appendedAt === undefined || isFirst) return;
    for (const { reason, deadlineAt } of closes)
      if (reason !== 'ENDED') this.#parts.findings.delay(appendedAt - deadlineAt);
  }

  /** What is left when all commits are checked belongs to none of them. */
  async finish(): Promise<void> {
    const nothing = new Owed({ closes: [], early: new Set() });
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

  /** Whether a commit behind `position`, or a later look at what is open, may account for a close of it. */
  #mayBeLater(group: Group, position: number): boolean {
    return group.some(({ record, transaction }) => {
      const { key, summary } = record;
      if (transaction === undefined || key === null || summary === undefined) return false;
      if (Number(summary['lastOffset']) >= position) return true;
      return this.#parts.fold.open.get(nameOf(key))?.firstOffset === summary['firstOffset'];
    });
  }

  #judge(group: Group, owed: Owed): void {
    const pending = new Map<string, string>();
    for (const { record, transaction } of group) {
      if (record.key === null) this.#parts.place.violation('O2', { offset: record.offset, what: 'has no key' });
      else if (record.value !== null) this.#summary(record, record.key, { owed, pending });
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

  #summary(
    record: OutputRecord,
    key: Uint8Array,
    { owed, pending }: { readonly owed: Owed; readonly pending: Map<string, string> },
  ): void {
    const { place } = this.#parts;
    const where = { offset: record.offset, key: textOf(key) };
    const incarnation = record.summary?.['incarnation'];
    if (record.summary === undefined || typeof incarnation !== 'string') {
      place.violation('V4', { ...where, what: 'its value is no summary that can be read' });
      return;
    }
    if (record.incarnation !== incarnation)
      place.violation('O2', {
        ...where,
        what: `its header names ${record.incarnation ?? 'no incarnation'}, its value ${incarnation}`,
      });
    const former = pending.get(where.key);
    if (former !== undefined && !this.#parts.tombstones) this.#firstWithout ??= former;
    else if (former !== undefined) place.violation('O2', { ...where, what: `comes before the tombstone of ${former}` });
    pending.set(where.key, incarnation);
    const taken = owed.take(nameOf(key), incarnation);
    if (taken.kind === 'unknown') this.#extra(record, key, incarnation);
    if (taken.kind !== 'owed') return;
    if (taken.isOutOfOrder)
      place.violation('O4', { ...where, what: `${incarnation} comes before an earlier one of its key` });
    this.#compare(record, taken.close);
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
        what: `a tombstone of ${incarnation ?? 'no incarnation'} where ${expected === undefined ? 'no summary came before' : `that of ${expected} must be`}`,
      });
  }

  #compare(record: OutputRecord, close: ExpectedClose): void {
    const { place, findings } = this.#parts;
    findings.closed += 1;
    this.#remember(close.incarnation, record.offset);
    const different = summaryDifferences(record.summary!, close);
    if (different.length === 0) return;
    const closedAt = record.summary!['closedAt'];
    const isEarly = typeof closedAt === 'number' && closedAt < close.closedAtLeast;
    place.violation(isEarly ? 'V3' : 'V4', {
      offset: record.offset,
      key: close.text,
      what: `the summary of ${close.incarnation} ${isEarly ? 'closes it early' : 'differs from the input'}: ${different.join('; ')}`,
    });
  }

  #extra({ offset }: OutputRecord, key: Uint8Array, incarnation: string): void {
    const { place, fold } = this.#parts;
    const firstOffset = Number(incarnation.slice(incarnation.indexOf('-') + 1));
    if (firstOffset < this.judgedFrom) {
      place.undecided(`closes of sessions that began before input offset ${this.judgedFrom}`);
      return;
    }
    const where = { offset, key: textOf(key) };
    const session = fold.open.get(nameOf(key));
    const before = this.#recent.get(incarnation);
    if (session !== undefined && session.firstOffset === firstOffset)
      place.violation('V3', {
        ...where,
        what: `${incarnation} is closed while it is open: its deadline is ${fold.deadlineOf(session)}, the clock of this commit ${fold.clock}`,
      });
    else
      place.violation('V1', {
        ...where,
        what:
          before === undefined
            ? `${incarnation} is closed, but no such incarnation was open`
            : `${incarnation} is closed a second time; the first is at offset ${before}`,
      });
  }

  #missing({ text, incarnation, reason, deadlineAt }: ExpectedClose, commitId: string): void {
    this.#parts.place.violation('V1', {
      key: text,
      what: `${incarnation} has no close: by the input and the changelog, commit ${commitId} closed it (${reason}, deadline ${deadlineAt})`,
    });
  }

  #checkTransaction(group: Group, { transaction, commitId }: Decision): void {
    const { record, transaction: found } = group[0]!;
    if (found?.producerId === transaction?.producerId && found?.producerEpoch === transaction?.producerEpoch) return;
    const name = (mark: TransactionMark | undefined): string =>
      mark === undefined ? 'none' : `producer ${mark.producerId}, epoch ${mark.producerEpoch}`;
    this.#parts.place.violation('O1', {
      offset: record.offset,
      what: `the closes of commit ${commitId} are in another transaction (${name(found)}) than its blocks (${name(transaction)})`,
    });
  }

  #remember(incarnation: string, offset: number): void {
    this.#recent.set(incarnation, offset);
    if (this.#recent.size <= RECENT_MAX) return;
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest);
      return;
    }
  }
}

type Taken =
  | { readonly kind: 'owed'; readonly close: ExpectedClose; readonly isOutOfOrder: boolean }
  | { readonly kind: 'early' | 'unknown' };

/** The closes of one commit that have not been seen on the output, by key in the order of the log. */
class Owed {
  readonly #byName = new Map<string, ExpectedClose[]>();
  readonly #early: ReadonlySet<string>;

  constructor({ closes, early }: Pick<Decision, 'closes' | 'early'>) {
    this.#early = early;
    for (const close of closes) {
      const former = this.#byName.get(close.name);
      if (former === undefined) this.#byName.set(close.name, [close]);
      else former.push(close);
    }
  }

  names({ key, summary }: OutputRecord): boolean {
    if (key === null || summary === undefined) return false;
    const incarnation = String(summary['incarnation']);
    if (this.#early.has(incarnation)) return true;
    return (this.#byName.get(nameOf(key)) ?? []).some((close) => close.incarnation === incarnation);
  }

  take(name: string, incarnation: string): Taken {
    const closes = this.#byName.get(name) ?? [];
    const index = closes.findIndex((close) => close.incarnation === incarnation);
    if (index < 0) return { kind: this.#early.has(incarnation) ? 'early' : 'unknown' };
    return { kind: 'owed', close: closes.splice(index, 1)[0]!, isOutOfOrder: index > 0 };
  }

  left(): ExpectedClose[] {
    return [...this.#byName.values()].flat();
  }

  clear(): void {
    this.#byName.clear();
  }
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
