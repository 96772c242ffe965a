// Sessions, as the judges read them.
import { bytesOf, textOf } from '../../logs/byte-names.ts';
import type { LoggedImage } from '../../logs/changelog-fold.ts';
import type { OutputRecord, PipelineRules } from '../../logs/history.ts';
import { incarnationFaults } from '../headers.ts';
import type { FoldCounts } from '../input-fold.ts';
import type {
  AfterCommit,
  EntryFault,
  Ending,
  ExpectedRecord,
  KindEntries,
  KindReading,
  LaterState,
  OutputWords,
} from '../reading.ts';
import { firstOf, SaidQueue } from '../said-queue.ts';
import { type ExpectedClose, summaryDifferences } from './expected-close.ts';
import { NaiveFold } from './naive-fold.ts';
import type { Session } from './naive-session.ts';
import { touchedHead } from './session-head.ts';
import { differences, readImage } from './session-image.ts';

export function sessionReading(partition: number, rules: PipelineRules, counts: FoldCounts): KindReading {
  const fold = new NaiveFold(partition, rules, counts);
  return {
    plural: 'sessions',
    fold,
    entries: new SessionEntries(partition, fold),
    words: SUMMARIES,
    touched: touchedHead,
  };
}

class SessionEntries implements KindEntries {
  readonly #partition: number;
  readonly #fold: NaiveFold;
  readonly #closed = new SaidQueue<ExpectedRecord>();
  #early = new Set<string>();

  constructor(partition: number, fold: NaiveFold) {
    this.#partition = partition;
    this.#fold = fold;
  }

  get size(): number {
    return this.#fold.open.size;
  }

  names(): Iterable<string> {
    return this.#fold.open.keys();
  }

  takeOver(images: ReadonlyMap<string, LoggedImage>, clock: number): void {
    for (const [name, { image }] of images) this.#fold.open.set(name, readImage(image));
    this.#fold.clock = clock;
  }

  rulesChanged(): void {
    // NF1: what is due is reckoned when it is closed.
  }

  compare(name: string, logged: LoggedImage | undefined, after: AfterCommit): readonly EntryFault[] {
    const session = this.#fold.open.get(name);
    if (logged !== undefined) return this.#compareImage(readImage(logged.image), session, after.namedAfter);
    if (session === undefined) return [];
    if (!this.#fold.isDue(session)) return [this.#missing(name, session, after)];
    this.#fold.closeDue(name, bytesOf(name));
    return [];
  }

  takeExpected(): ExpectedRecord[] {
    for (const close of this.#fold.takeClosed()) this.#closed.add(expectedRecord(close));
    return [...this.#closed.takeAll()];
  }

  hasSaid(name: string, id: string, logged: LoggedImage | undefined): boolean {
    if (this.#closedNow().has(name, id)) return true;
    const session = this.#fold.open.get(name);
    if (session === undefined || this.#incarnationOf(session) !== id || !this.#fold.isDue(session)) return false;
    return logged === undefined || readImage(logged.image).firstOffset !== session.firstOffset;
  }

  takeSaid(name: string, id: string): ReturnType<KindEntries['takeSaid']> {
    const session = this.#fold.open.get(name);
    if (session !== undefined && this.#incarnationOf(session) === id && this.#fold.isDue(session))
      this.#fold.closeDue(name, bytesOf(name));
    return this.#closedNow().take(name, id);
  }

  get remembered(): number {
    return this.#fold.open.size + this.#closedNow().size;
  }

  forgetUnsaid(most: number, { stands }: LaterState): readonly ExpectedRecord[] {
    const closed = this.#closedNow();
    const due = [...this.#fold.open].filter(
      ([name, session]) => this.#fold.isDue(session) && stands(name, this.#incarnationOf(session)),
    );
    const surplus = closed.size + due.length - most;
    if (surplus <= 0) return [];
    for (const [name] of due.slice(0, Math.max(0, surplus - closed.size))) this.#fold.closeDue(name, bytesOf(name));
    return firstOf(this.#closedNow(), surplus);
  }

  takeEarly(): ReadonlySet<string> {
    const early = this.#early;
    this.#early = new Set();
    return early;
  }

  settleAll(): void {
    for (const [name, session] of [...this.#fold.open])
      if (this.#fold.isDue(session)) this.#fold.closeDue(name, bytesOf(name));
  }

  *lives(): Iterable<{ readonly text: string; readonly dueAt: number }> {
    for (const [name, session] of this.#fold.open)
      yield { text: textOf(bytesOf(name)), dueAt: this.#fold.deadlineOf(session) };
  }

  overdue(): readonly { readonly text: string; readonly what: string }[] {
    return [...this.#fold.open].flatMap(([name, session]) => {
      if (!this.#fold.isDue(session)) return [];
      const deadline = this.#fold.deadlineOf(session);
      const what = `${this.#incarnationOf(session)} is not closed: its deadline ${deadline} has passed, the clock is ${this.#fold.clock}`;
      return [{ text: textOf(bytesOf(name)), what }];
    });
  }

  mayComeLater(name: string, _id: string, { summary }: OutputRecord, position: number): boolean {
    if (summary === undefined) return false;
    return (
      Number(summary['lastOffset']) >= position || this.#fold.open.get(name)?.firstOffset === summary['firstOffset']
    );
  }

  whyEarly(name: string, record: OutputRecord): string | undefined {
    const session = this.#fold.open.get(name);
    if (session === undefined || session.firstOffset !== SUMMARIES.beginningOf(record)) return undefined;
    return `it is open: its deadline is ${this.#fold.deadlineOf(session)}, the clock of this commit ${this.#fold.clock}`;
  }

  heard(): Iterable<{ readonly text: string; readonly records: number }> {
    return [...this.#fold.open].map(([name, { eventCount, duplicates }]) => ({
      text: textOf(bytesOf(name)),
      records: eventCount + duplicates,
    }));
  }

  /** Returns the closes of the fold, as they count for the commit that comes. */
  #closedNow(): SaidQueue<ExpectedRecord> {
    for (const close of this.#fold.drainClosed()) this.#closed.add(expectedRecord(close));
    return this.#closed;
  }

  #compareImage(image: Session, session: Session | undefined, namedAfter: number): readonly EntryFault[] {
    if (session === undefined) {
      const returns = image.firstOffset < namedAfter;
      const what = `the changelog holds the incarnation ${this.#incarnationOf(image)}, which the input ${returns ? 'had closed before: it returns' : 'does not leave open'}`;
      return [{ rule: returns ? 'V11' : 'V5', what }];
    }
    const different = differences(image, session);
    if (different.length === 0) return [];
    return [{ rule: 'V5', what: `the changelog differs from the input: ${different.join('; ')}` }];
  }

  #missing(name: string, session: Session, { position, isNamed }: AfterCommit): EntryFault {
    const incarnation = this.#incarnationOf(session);
    if (!isNamed) return { rule: 'V5', what: `the changelog lacks ${incarnation}, open at position ${position}` };
    const what =
      `${incarnation} was closed early: no record below position ${position} has reached its deadline ` +
      `${this.#fold.deadlineOf(session)}, the clock was ${this.#fold.clock}`;
    // From here on the fold follows the processor, or every later record of the key would be one more violation.
    this.#fold.open.delete(name);
    this.#early.add(incarnation);
    return { rule: 'V3', what };
  }

  #incarnationOf({ firstOffset }: Session): string {
    return `${this.#partition}-${firstOffset}`;
  }
}

const ENDINGS: Readonly<Record<string, Ending>> = { ENDED: 'ends', TIMEOUT: 'timeouts', MAX_DURATION: 'maxDurations' };

function expectedRecord(close: ExpectedClose): ExpectedRecord {
  const { name, text, incarnation, reason, deadlineAt, activities } = close;
  return {
    name,
    text,
    id: incarnation,
    why: `${reason}, deadline ${deadlineAt}`,
    dueAt: reason === 'ENDED' ? undefined : deadlineAt,
    ending: ENDINGS[reason],
    records: activities,
    compare: (record) => compared(record, close),
  };
}

function compared({ summary = {} }: OutputRecord, close: ExpectedClose): EntryFault | undefined {
  const different = summaryDifferences(summary, close);
  if (different.length === 0) return undefined;
  const closedAt = summary['closedAt'];
  const isEarly = typeof closedAt === 'number' && closedAt < close.closedAtLeast;
  const what = `the summary of ${close.incarnation} ${isEarly ? 'closes it early' : 'differs from the input'}: ${different.join('; ')}`;
  return { rule: isEarly ? 'V3' : 'V4', what };
}

const SUMMARIES: OutputWords = {
  idOf: incarnationIn,
  lastOf: incarnationIn,
  contradictions: (record) => incarnationFaults(record, incarnationIn(record)),
  beginningOf: (record) => {
    const incarnation = incarnationIn(record) ?? '';
    return Number(incarnation.slice(incarnation.indexOf('-') + 1));
  },
};

function incarnationIn({ summary }: OutputRecord): string | undefined {
  const incarnation = summary?.['incarnation'];
  return typeof incarnation === 'string' ? incarnation : undefined;
}
