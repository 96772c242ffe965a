// The input of one partition, folded up to each commit's position, and then to its end (C1, C3, C6, I1, I6, I7).
//
// Owns: the offset up to which the input is folded.
// Does not own: the rules (InputFold), what a commit must say (PartitionCheck).
import type { Millis } from '@flatline/base';
import type { CommonRules, InputRecord, InputTruth, PartitionHistory } from '../logs/history.ts';
import { asRefused, type InputFold } from '../rules/input-fold.ts';
import { Feed } from './feed.ts';
import type { LetterCheck } from './letter-check.ts';
import type { Place } from './place.ts';
import type { Findings } from './report.ts';

export interface InputWalkParts {
  readonly history: PartitionHistory;
  readonly rules: CommonRules;
  readonly findings: Findings;
  readonly place: Place;
  readonly fold: InputFold;
  readonly letters: LetterCheck;
  /** Called before each record is folded. */
  readonly onRecord: (record: InputRecord) => void;
  readonly onProgress: () => void;
}

/** The input behind the last commit. */
export interface Behind {
  /** Without clock records. */
  records: number;
  /** Offset behind the last of them. */
  end: number;
  /** Timestamps: of the first one (undefined if there is none), and the greatest. */
  first: Millis | undefined;
  latest: Millis;
}

const PROGRESS_EVERY = 10_000;

export class InputWalk {
  readonly #parts: InputWalkParts;
  readonly #feed: Feed<InputRecord>;
  readonly #truth: InputTruth | undefined;
  /** As the commits state it: records below it predate the application. */
  origin = 0;
  /** Below it the state was taken over from the changelog. */
  judgedFrom = 0;
  isLogAppendTime = true;
  /** The latest clock of a commit that was believed although no record tells it (C3); 0: none. */
  #believed: Millis = 0;

  constructor(parts: InputWalkParts) {
    this.#parts = parts;
    this.#feed = new Feed(parts.history.input);
    this.#truth = parts.history.truth;
  }

  /** True if the log still has everything from the origin on. */
  get isWhole(): boolean {
    return this.#parts.history.input.logStart <= this.origin;
  }

  get tookClock(): boolean {
    return this.#believed > 0;
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#feed.fill());
  }

  /** `clock`: of the commit that covers these records; undefined behind the last commit. */
  async foldTo(position: number, clock?: Millis): Promise<void> {
    const { findings, onRecord, onProgress } = this.#parts;
    while (this.#feed.next !== undefined || (await this.#feed.fill())) {
      const { record } = this.#feed.next!;
      if (record.offset >= position) return;
      this.#feed.take();
      findings.records.input += 1;
      if (findings.records.input % PROGRESS_EVERY === 0) onProgress();
      onRecord(record);
      if (record.offset < this.origin) findings.reach.recordsBeforeOrigin += 1;
      else this.#fold(record, clock);
    }
  }

  /**
   * A task may commit while it waits at a record whose timestamp it has already read, for the record's schema or for room: then the
   * commit's clock is that of the record. By C3 the clock may even pass all records.
   */
  passRecords(clock: Millis): void {
    const { fold, rules } = this.#parts;
    if (clock <= fold.clock) return;
    if (this.#feed.next?.record.timestamp === clock) fold.advance(clock);
    else if (rules.proof === 'fetch') {
      fold.advance(clock);
      this.#believed = clock;
    }
  }

  /** Folds the records that no commit covers. */
  async foldRest(position: number): Promise<Behind> {
    const behind: Behind = { records: 0, end: position, first: undefined, latest: 0 };
    while (this.#feed.next !== undefined || (await this.#feed.fill())) {
      const { offset, timestamp, key, hasClockHeader } = this.#feed.next!.record;
      // Clock records alone leave nothing undone: one may have been asked for just before the end.
      if (key !== null || !hasClockHeader) behind.records += 1;
      behind.end = offset + 1;
      behind.first ??= timestamp;
      behind.latest = Math.max(behind.latest, timestamp);
      await this.foldTo(behind.end);
    }
    return behind;
  }

  #fold(record: InputRecord, clock: Millis | undefined): void {
    const { fold, letters } = this.#parts;
    if (!fold.isFormer(record)) this.#noteType(record);
    if (this.tookClock && record.timestamp < this.#believed) this.#overtaken();
    // The state taken over from the changelog already includes the records before its position.
    if (record.offset < this.judgedFrom) return;
    // Only the present at that time could tell how far a producer's stamp moved the clock (C6).
    const present = record.logAppendTime || this.#truth?.presentDecides === false ? undefined : clock;
    const refusal = this.#truth === undefined ? this.#saidRefusal(record) : this.#truth.refusalOf(record);
    if (refusal === 'stamp') fold.refuse(record);
    else if (refusal === 'content') fold.record(asRefused(record), present);
    else {
      const isReckoned = this.#knowsClock && fold.weighsExactly;
      const isSaidFull = isReckoned ? undefined : letters.sayFull(record.offset);
      fold.record(record, present, isSaidFull, record.logAppendTime || this.#knowsClock);
    }
    if (fold.lastBad === record.offset) letters.compare(record);
  }

  /** Reports as undecided that the clock was moved by evidence which a later record disproved. */
  #overtaken(): void {
    this.#parts.place.undecided(
      'what closed since a clock was overtaken: by proof "fetch" it had passed the stamp of a record that came later (C3); ' +
        'clock_overtaken_total counts such records',
    );
  }

  /** True if the clock here is the one that the processor had: the present at that time plays no part in it. */
  get #knowsClock(): boolean {
    return this.#truth?.presentDecides === false;
  }

  /** Returns why a record was refused that looks sound here: the processor's letters are believed. */
  #saidRefusal({ offset }: InputRecord): 'stamp' | 'content' | undefined {
    const { letters, place } = this.#parts;
    if (letters.wasRefusedForItsStamp(offset)) return 'stamp';
    if (!letters.sayFailed(offset)) return undefined;
    place.undecided(`offset ${offset}: the processor failed at it (processing-failed)`);
    return 'content';
  }

  #noteType(record: InputRecord): void {
    this.isLogAppendTime = record.logAppendTime;
    if (this.#parts.fold.isOtherType(record))
      this.#parts.place.undecided(
        'what follows the first record of another timestamp type than configured: there the partition had to stop (C6), ' +
          'or timestampType was another one then',
      );
  }
}
