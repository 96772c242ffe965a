// The input of one partition, folded up to each commit's position, and then to its end (C1, C3, C6, I1, I6, I7).
//
// Owns: the offset up to which the input is folded.
// Does not own: the rules (InputFold), what a commit must say (PartitionCheck).
import type { Millis } from '@flatline/base';
import type { CommonRules, InputRecord, InputTruth, PartitionHistory } from '../logs/history.ts';
import { hashedOtherwise } from '../rules/attributes-in.ts';
import type { ReducerRules } from '../rules/reducing/naive-reducer.ts';
import { asRefused, type InputFold } from '../rules/input-fold.ts';
import { furthest, inputOf, isBelow, offsetOf, placeText, type Positions, positionsText } from '../logs/places.ts';
import { type MergedCommit, MergedFeed } from './merged-feed.ts';
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
  /** Behind the last of them, in each input, and how many offsets that is in all. */
  readonly ends: number[];
  offsets: number;
  /** Timestamps of the first one, undefined where there is none, and the greatest. */
  first: Millis | undefined;
  latest: Millis;
}

const PROGRESS_EVERY = 10_000;

export class InputWalk {
  readonly #parts: InputWalkParts;
  readonly #feed: MergedFeed;
  readonly #truth: InputTruth | undefined;
  /** Where each input begins here. */
  readonly #begins: Positions;
  /** By the commits: what lies below was there before the application. */
  #origins: Positions = [];
  /** Below it the state was taken over from the changelog. */
  #judgedFrom: Positions = [];
  /** Inputs whose records their producers stamp. */
  readonly #byProducers = new Set<number>();
  /** The latest clock of a commit that was believed although no record tells it (C3); 0: none. */
  #believed: Millis = 0;

  constructor(parts: InputWalkParts) {
    this.#parts = parts;
    const { input, furtherInputs = [], truth } = parts.history;
    const isStampBad = (record: InputRecord): boolean => this.#refusalOf(record) === 'stamp';
    const logs = [input, ...furtherInputs.map(({ log }) => log)];
    this.#feed = new MergedFeed({ logs, rules: parts.rules, isStampBad });
    this.#truth = truth;
    this.#begins = logs.map(({ logStart }) => logStart);
  }

  /** True if the log still has everything from the origin on. */
  get isWhole(): boolean {
    return this.#begins.every((begin, input) => begin <= (this.#origins[input] ?? 0));
  }

  /** A commit says where the application began. */
  beganAt(origins: Positions): void {
    this.#origins = furthest(this.#origins, origins);
    this.#feed.beginAt(furthest(this.#origins, this.#judgedFrom));
  }

  /** The state of a commit was taken over: what lies below its positions is not judged, and had brought the clocks so far. */
  tookOver({ positions, clocks }: { readonly positions: Positions; readonly clocks: readonly Millis[] }): void {
    this.#judgedFrom = positions;
    this.#feed.beginAt(furthest(this.#origins, positions));
    this.#feed.takeOver(clocks);
  }

  /** True if records below the positions are judged. */
  judges(positions: Positions): boolean {
    return positions.some((position, input) => (this.#judgedFrom[input] ?? 0) < position);
  }

  get isLogAppendTime(): boolean {
    return this.#byProducers.size === 0;
  }

  get tookClock(): boolean {
    return this.#believed > 0;
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#feed.fill());
  }

  /** `clock`, `clocks`: those of the commit which covers these records; unknown behind the last one. */
  async foldTo(positions: Positions, clock?: Millis, clocks: readonly Millis[] = []): Promise<void> {
    const commit = { positions, clocks };
    while (await this.#feed.fill(commit)) {
      const record = this.#feed.next!;
      if (isBelow(record.offset, positions)) this.#next(record, clock);
      else if (positions.length === 1 || !(await this.#isOutOfOrder(record, commit))) return;
    }
  }

  /** True if the commit has records behind `next`, which it lacks: the first of them is folded. */
  async #isOutOfOrder(next: InputRecord, commit: MergedCommit): Promise<boolean> {
    if (!(await this.#feed.fill(commit, true))) {
      await this.#feed.fill(commit);
      return false;
    }
    const record = this.#feed.next!;
    this.#parts.place.certain('S8', {
      offset: offsetOf(record.offset),
      what:
        `positions ${positionsText(commit.positions)} cover offset ${placeText(record.offset)}, and not offset ` +
        `${placeText(next.offset)}, which comes before it`,
    });
    this.#next(record, undefined);
    return true;
  }

  #next(record: InputRecord, clock: Millis | undefined): void {
    const { findings, onRecord, onProgress } = this.#parts;
    this.#feed.take();
    findings.records.input += 1;
    if (findings.records.input % PROGRESS_EVERY === 0) onProgress();
    onRecord(record);
    if (isBelow(record.offset, this.#origins)) findings.reach.recordsBeforeOrigin += 1;
    else this.#fold(record, clock);
  }

  /**
   * A task may commit while it waits at a record whose timestamp it has already read, for the record's schema or for room: then the
   * commit's clock is that of the record. By C3 the clock may even pass all records.
   */
  passRecords(clock: Millis): void {
    const { fold, rules } = this.#parts;
    if (clock <= fold.clock) return;
    if (this.#feed.next?.timestamp === clock) fold.advance(clock);
    else if (rules.proof === 'fetch') {
      fold.advance(clock);
      this.#believed = clock;
    }
  }

  /** Folds what no commit covers. */
  async foldRest(positions: Positions): Promise<Behind> {
    const behind: Behind = { records: 0, ends: [...positions], offsets: 0, first: undefined, latest: 0 };
    while (await this.#feed.fill()) {
      const record = this.#feed.next!;
      const { offset, timestamp, key, hasClockHeader } = record;
      // Clock records alone owe nothing: one may have been asked for just before the end.
      if (key !== null || !hasClockHeader) behind.records += 1;
      behind.ends[inputOf(offset)] = offsetOf(offset) + 1;
      behind.first ??= timestamp;
      behind.latest = Math.max(behind.latest, timestamp);
      this.#next(record, undefined);
    }
    behind.offsets = behind.ends.reduce((sum, end, input) => sum + end - positions[input]!, 0);
    return behind;
  }

  #fold(record: InputRecord, clock: Millis | undefined): void {
    const { fold, letters } = this.#parts;
    if (!fold.isFormer(record)) this.#noteType(record);
    if (this.tookClock && record.timestamp < this.#believed) this.#overtaken();
    // Taken over from the changelog, the state already holds what lies before its position.
    if (isBelow(record.offset, this.#judgedFrom)) return;
    // How far a producer's stamp moved the clock, only the present of then could tell (C6).
    const present = record.logAppendTime || this.#truth?.presentDecides === false ? undefined : clock;
    const refusal = this.#refusalOf(record);
    if (refusal === 'content' && this.#truth === undefined) {
      const why = letters.sayFailed(record.offset)
        ? 'the processor failed at it (processing-failed)'
        : 'its reducer refused it';
      this.#parts.place.undecided(`offset ${placeText(record.offset)}: ${why}`);
    }
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

  /** Returns why a record was refused that nothing here shows to be bad: the processor's letters are believed. */
  #refusalOf(record: InputRecord): 'stamp' | 'content' | undefined {
    if (this.#truth !== undefined) return this.#truth.refusalOf(record);
    const { letters } = this.#parts;
    if (letters.wasRefusedForItsStamp(record.offset)) return 'stamp';
    if (this.#isUndecidedReducer() && letters.sayUnreduced(record.offset)) return 'content';
    return letters.sayFailed(record.offset) ? 'content' : undefined;
  }

  /** True if the functions by which events were reduced then are not those of today (S10), or what they saw is not known. */
  #isUndecidedReducer(): boolean {
    const { rules, place } = this.#parts;
    const { reducer, reduced } = rules as { readonly reducer?: unknown; readonly reduced?: unknown };
    const said = (typeof reducer === 'object' ? reducer : reduced) as ReducerRules | undefined;
    if (said === undefined || said.builtIn !== undefined) return false;
    // The functions' arguments are not known where they were hashed with a key that is not there (E1).
    if (said.functions !== undefined) return hashedOtherwise(rules).length > 0;
    place.undecided(
      'what sessions came to by a reducer of another version or schema than that of today, and what it refused (S10)',
    );
    return true;
  }

  #noteType(record: InputRecord): void {
    if (record.logAppendTime) this.#byProducers.delete(record.input ?? 0);
    else this.#byProducers.add(record.input ?? 0);
    if (this.#parts.fold.isOtherType(record))
      this.#parts.place.undecided(
        'what follows the first record of another timestamp type than configured: there the partition had to stop (C6), ' +
          'or timestampType was another one then',
      );
  }
}
