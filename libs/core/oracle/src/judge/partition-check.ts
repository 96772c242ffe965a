// Checks one partition from its first offset to the end of its changelog. For each commit it folds the input up to the commit's
// position, compares the state, and looks for the expected records on the output. O(records).
//
// Owns: the order of these steps.
// Does not own: any of them.
//
// Invariants
//   PK1  Memory is bounded by the live entries, one commit, and one transaction of the output. Records of the commits before the
//        first one whose whole state the changelog has are compared as the output is read, as far as it is right (BF1).
//   PK2  What is alive in that first state was said later, in the output of commits behind it.
import type { Millis } from '@flatline/base';
import { textOf } from '../logs/byte-names.ts';
import { furthest, inputOf, type Positions, positionsText } from '../logs/places.ts';
import { NotABlock } from '../logs/block-reader.ts';
import { BeforeAnchor, type FoldedCommit } from './before-anchor.ts';
import { ChangelogFold } from '../logs/changelog-fold.ts';
import { type Commit, CommitChain } from './commit-chain.ts';
import { DeliveryLogCheck } from './delivery-log-check.ts';
import { DelayCauses } from './delay-cause.ts';
import { Feed } from './feed.ts';
import { FloorCheck } from './floor-check.ts';
import type { InputRecord, LetterRecord, LogRecord, OutputRecord, PartitionHistory } from '../logs/history.ts';
import { InputWalk } from './input-walk.ts';
import { inputsOf } from './inputs-of.ts';
import { firstKnown } from './known-settings.ts';
import type { LedgerCheck } from './ledger-check.ts';
import { LetterCheck } from './letter-check.ts';
import { type JudgedRules, readingOf } from './kinds.ts';
import type { ExpectedRecord, KindReading } from '../rules/reading.ts';
import { OutputCheck } from './output-check.ts';
import {
  checkBehind,
  checkKept,
  checkOverdue,
  checkSettings,
  checkStore,
  type PartitionEnd,
  type Places,
} from './partition-end.ts';
import { Place } from './place.ts';
import { RouteCheck } from './route-check.ts';
import { RulesInForce } from './rules-in-force.ts';
import type { Findings } from './report.ts';
import { StateCheck } from './state-check.ts';
import { StatsCheck } from './stats-check.ts';
import { TransactionWalk } from './transaction-walk.ts';

export interface PartitionCheckParts {
  readonly history: PartitionHistory;
  readonly rules: JudgedRules;
  readonly findings: Findings;
  readonly ledger: LedgerCheck | undefined;
  readonly onProgress: () => void;
  /** Default: BeforeAnchor's. */
  readonly unsaidMax?: number | undefined;
}

export class PartitionCheck {
  readonly #parts: PartitionCheckParts;
  readonly #inForce: RulesInForce;
  readonly #places: Places;
  readonly #walks: Record<'changelog' | 'output' | 'deadLetters', TransactionWalk>;
  readonly #input: InputWalk;
  readonly #changelogFeed: Feed<LogRecord>;
  readonly #reading: KindReading;
  readonly #changelog: ChangelogFold;
  readonly #state: StateCheck;
  readonly #floor: FloorCheck;
  readonly #chain: CommitChain;
  readonly #output: OutputCheck;
  readonly #letters: LetterCheck;
  /** undefined: nothing is routed. */
  readonly #routes: RouteCheck | undefined;
  /** undefined: no statistics are said. */
  readonly #stats: StatsCheck | undefined;
  /** True once the state is known: both logs are whole, or a commit was met whose whole state the changelog has. */
  #isAnchored: boolean;
  /** Commits so far, until anchored. */
  readonly #before: BeforeAnchor;
  /** Records brought about by the current commit. */
  #expected: ExpectedRecord[] = [];
  #positions: Positions;
  /** Positions of the commit that was folded last. */
  #foldedTo: Positions = [];
  /** Input offset and commit from which settings are known, if not from the first commit. */
  readonly #known: ReturnType<typeof firstKnown>;
  #last: Commit | undefined;

  constructor(parts: PartitionCheckParts) {
    const { history, findings, onProgress } = parts;
    this.#known = firstKnown(history);
    this.#inForce = new RulesInForce(parts.rules, history.settings);
    const { rules } = this.#inForce;
    const { partition, input, changelog, output, deadLetters } = history;
    const place = (topic: string): Place => new Place(topic, partition, findings, history.settings?.length !== 0);
    this.#parts = parts;
    this.#places = {
      input: place(input.topic),
      changelog: place(changelog.topic),
      output: place(output.topic),
      deadLetters: place(deadLetters.topic),
    };
    this.#walks = {
      changelog: new TransactionWalk(this.#places.changelog),
      output: new TransactionWalk(this.#places.output),
      // Replays write to it, too.
      deadLetters: new TransactionWalk(this.#places.deadLetters, 'shared'),
    };
    this.#changelogFeed = new Feed(changelog, this.#walks.changelog);
    const delayCauses = new DelayCauses();
    const outputFeed = new Feed<OutputRecord>(output, this.#walks.output);
    this.#reading = readingOf(partition, rules, findings.reach);
    findings.mayBeOtherwise = this.#reading.mayBeOtherwise;
    const { fold, touched } = this.#reading;
    fold.onHeard = (key) => parts.ledger?.add(textOf(key));
    this.#changelog = new ChangelogFold(touched);
    this.#state = new StateCheck(this.#places.changelog, this.#reading, this.#changelog);
    this.#floor = new FloorCheck(this.#places.changelog, rules);
    this.#chain = new CommitChain(this.#places.changelog, changelog.logStart === 0);
    const inputs = inputsOf(history);
    this.#letters = this.#letterCheck();
    this.#routes = this.#routeCheck();
    this.#output = new OutputCheck({
      place: this.#places.output,
      feed: outputFeed,
      reading: this.#reading,
      findings,
      delayCauses,
      isWhole: output.logStart === 0,
      decidedBelow: history.outputDecidedBelow,
      rules,
      routes: this.#routes,
      settingsVary: history.settings !== undefined,
    });
    this.#before = new BeforeAnchor({
      entries: fold,
      images: this.#changelog.images,
      output: this.#output,
      onSaid: (said) => {
        this.#note(said);
      },
      unsaidMax: parts.unsaidMax,
    });
    this.#stats = this.#statsCheck(place);
    if (this.#inForce.countsByOtherHash)
      this.#stats?.giveUp('attributes were hashed with a key that is not at hand (E1)');
    this.#positions = inputs.map(() => 0);
    let clock: Millis = 0;
    const onRecord = (record: InputRecord): void => {
      // Stretches begin at offsets of the first input.
      if (inputOf(record.offset) === 0 && this.#inForce.ofRecord(record.offset)) this.#rulesChanged(undefined);
      findings.keyPlaces.note(record, partition);
      delayCauses.moved(clock, record.timestamp);
      clock = Math.max(clock, record.timestamp);
    };
    const common = { history, rules, findings, onRecord, onProgress };
    this.#input = new InputWalk({ ...common, place: this.#places.input, fold, letters: this.#letters });
    const isInputWhole = inputs.every(({ logStart }) => logStart === 0);
    this.#isAnchored = this.#known === undefined && isInputWhole && changelog.logStart === 0;
  }

  #letterCheck(): LetterCheck {
    const { history } = this.#parts;
    const { deadLetters } = history;
    const feed = new Feed<LetterRecord>(deadLetters, this.#walks.deadLetters);
    return new LetterCheck(this.#places.deadLetters, feed, deadLetters.logStart === 0, inputsOf(history));
  }

  #routeCheck(): RouteCheck | undefined {
    const { history, findings } = this.#parts;
    const { routed, partition, output, outputDecidedBelow: decidedBelow, isComplete = false } = history;
    if (routed === undefined) return undefined;
    return new RouteCheck({
      partition,
      routed,
      inForce: this.#inForce,
      words: this.#reading.words,
      findings,
      letters: this.#letters,
      place: (topic, number) => new Place(topic, number, findings, history.settings?.length !== 0),
      output: this.#places.output,
      isWhole: output.logStart === 0,
      decidedBelow,
      isComplete,
    });
  }

  #statsCheck(place: (topic: string) => Place): StatsCheck | undefined {
    const { stats } = this.#parts.history;
    if (stats === undefined) return undefined;
    const at = place(stats.log.topic);
    const { decidedBelow, log } = stats;
    return new StatsCheck(at, new Feed(log, new TransactionWalk(at)), { isWhole: log.logStart === 0, decidedBelow });
  }

  async #checkDeliveries(): Promise<void> {
    const { history, findings } = this.#parts;
    const { deliveries, partition } = history;
    if (deliveries === undefined) return;
    const place = (topic: string): Place => new Place(topic, partition, findings);
    const { words } = this.#reading;
    await new DeliveryLogCheck({ partition, history: deliveries, words, place, reach: findings.reach }).run();
  }

  async #checkStats(): Promise<void> {
    const { fold, stats } = this.#reading;
    if (stats?.isUnsure === true)
      this.#stats?.giveUp('how far a stamp from ahead moved the clock, only the present of then could tell (C6)');
    if (stats !== undefined) await this.#stats?.check(stats.takeExpected(), stats.mayBeSaid(fold.clock));
  }

  async run(): Promise<void> {
    const { findings } = this.#parts;
    while (await this.#changelogFeed.fill()) {
      const fed = this.#changelogFeed.next!;
      this.#floor.took(fed.record);
      const commit = this.#chain.take(fed);
      this.#changelogFeed.take();
      findings.records.changelog += 1;
      if (commit !== undefined) await this.#judge(commit);
    }
    this.#chain.finish();
    await this.#finish();
  }

  async #judge(commit: Commit): Promise<void> {
    const { header, transaction } = commit;
    const { history, findings } = this.#parts;
    findings.commits += 1;
    if (header.positions.some((position, input) => position < (this.#positions[input] ?? 0)))
      this.#places.changelog.certain('V5', {
        offset: commit.firstOffset,
        what: `commit ${header.commitId} takes the input position back from ${positionsText(this.#positions)} to ${positionsText(header.positions)}`,
      });
    const before = this.#positions;
    this.#input.beganAt(header.origins);
    if (this.#last === undefined && history.changelog.logStart === 0) this.#isAnchored ||= this.#input.isWhole;
    const isFirst = !this.#isAnchored;
    const { fold } = this.#reading;
    if (isFirst && this.#input.isWhole) this.#before.add(header);
    else await this.#foldTo(header);
    const named = this.#applyAll(commit);
    this.#positions = furthest(before, header.positions);
    this.#last = commit;
    if (isFirst && !(await this.#anchor(commit))) return;
    const bad = fold.takeBad();
    if (this.#input.judges(header.positions)) this.#letters.match(bad);
    else this.#letters.forget();
    this.#state.compare(new Set([...fold.takeTouched(), ...named]), named, commit, before);
    this.#state.checkHeader(commit, this.#input.isLogAppendTime);
    this.#floor.check(commit, this.#changelog);
    await this.#checkStats();
    this.#takeExpected();
    const expected = this.#expected;
    this.#expected = [];
    const early = fold.takeEarly();
    const appendedAt = this.#input.isLogAppendTime ? commit.appendedAt : undefined;
    const { positions, commitId, sequence } = header;
    await this.#output.check({
      expected,
      early,
      positions,
      transaction,
      commitId,
      sequence,
      appendedAt,
      clock: header.clock,
      isFirst,
    });
  }

  async #foldTo({ sequence, positions, clock, clocks }: FoldedCommit): Promise<void> {
    this.#adoptRulesOf(sequence);
    await this.#letters.read(positions);
    // Without its beginning the input tells nothing before the first state there is.
    if (this.#isAnchored || this.#input.isWhole) await this.#input.foldTo(positions, clock, clocks);
    this.#input.passRecords(clock);
    this.#reading.fold.endCommit();
    this.#foldedTo = positions;
  }

  /** Comes before the commit is judged: its owner applied the records by its own settings. */
  #adoptRulesOf(sequence: number): void {
    if (this.#inForce.ofCommit(sequence)) this.#rulesChanged(sequence);
  }

  /** Folds the input of all commits so far, and follows the output (PK2). */
  async #foldBefore(): Promise<void> {
    const { fold } = this.#reading;
    let folded: Positions = inputsOf(this.#parts.history).map(({ logStart }) => logStart);
    for (const commit of this.#before.take()) {
      // By the rules of then, which each record tells: those of the first commit here are not those of all before it.
      const { positions, clock, clocks } = commit;
      while (positions.some((position, input) => folded[input]! < position)) {
        folded = this.#untilOtherRules(this.#before.next(folded, positions), folded);
        await this.#letters.read(folded);
        await this.#input.foldTo(folded, clock, clocks);
        this.#letters.match(fold.takeBad());
        // All that lives is compared with the first state.
        fold.takeTouched();
        await this.#before.follow(folded);
      }
      await this.#foldTo(commit);
    }
  }

  /** Looks at what was said by the rules of then before others are in force. */
  #untilOtherRules(next: Positions, folded: Positions): Positions {
    const { until } = this.#inForce;
    return next.length === 1 && folded[0]! < until && next[0]! > until ? [until] : next;
  }

  /** `sequence`: by a commit; undefined: at a record of the first input. */
  #rulesChanged(sequence: number | undefined): void {
    const { rules } = this.#inForce;
    const { fold, stats } = this.#reading;
    const settledTo = this.#last?.header.settledTo ?? 0;
    const isOfOne = this.#positions.length === 1;
    const from = isOfOne ? [this.#inForce.from] : this.#foldedTo;
    const begins = stats?.adopt('stats' in rules ? rules.stats : undefined, { from, clock: fold.clock, settledTo });
    if (begins === true && !isOfOne && sequence !== this.#inForce.sequence)
      this.#stats?.giveUp('from where on other settings counted in further inputs only their first commit told');
    this.#reading.adoptRules?.();
    this.#reading.fold.rulesChanged();
    this.#output.rulesChanged();
  }

  /** Returns the names of the keys whose slots the commit changes. */
  #applyAll({ header: { clock, position, commitId }, operations }: Commit): Set<string> {
    const named = new Set<string>();
    const isWhole = this.#parts.history.changelog.logStart === 0;
    for (const { operation, offset } of operations) {
      const say = (what: string): void => {
        this.#places.changelog.violation('K1', { offset, what: `commit ${commitId} ${what}` });
      };
      try {
        const name = this.#changelog.apply(operation, { offset, clock, position });
        if (name !== undefined) named.add(name);
        else if (isWhole) say(`has a ${operation.kind} of slot ${operation.slot}, which is of no entry`);
      } catch (error) {
        if (!(error instanceof NotABlock)) throw error;
        say(error.message);
      }
    }
    return named;
  }

  /**
   * True if the changelog here has the whole state of `commit`; where the input lacks its beginning, that state is taken over.
   */
  async #anchor({ header }: Commit): Promise<boolean> {
    const { changelog, input } = this.#parts.history;
    const { positions } = header;
    const begins = inputsOf(this.#parts.history).map(({ logStart }) => logStart);
    // The state that the last commit by unknown settings left is the first that is known.
    if (this.#known !== undefined && header.sequence + 1 < this.#known.sequence) return false;
    if (header.floor < changelog.logStart || begins.some((begin, at) => (positions[at] ?? 0) < begin)) return false;
    if (this.#input.isWhole) await this.#foldBefore();
    this.#isAnchored = true;
    if (this.#input.isWhole) {
      const { fold } = this.#reading;
      for (const name of [...fold.names(), ...this.#changelog.images.keys()]) fold.touch(name);
      return true;
    }
    this.#stats?.giveUp('the input lacks its beginning');
    this.#reading.fold.takeOver(this.#changelog.images, header.clock, header.evictions);
    this.#input.tookOver(header);
    this.#output.judgedFrom = positions;
    this.#places.input.undecided(
      `everything before offset ${positionsText(positions)}: ${this.#whyFrom(input.logStart)}`,
    );
    return true;
  }

  #whyFrom(begin: number): string {
    if (this.#known?.from === begin)
      return `the changelog does not say by which settings what came before offset ${begin} was done`;
    const { inputLogStart = begin } = this.#parts.history;
    return `${inputLogStart < begin ? 'it is asked about' : 'the input begins'} from ${begin} on`;
  }

  #takeExpected(): void {
    for (const expected of this.#reading.fold.takeExpected()) {
      this.#expected.push(expected);
      this.#note(expected);
    }
  }

  #note({ ending }: ExpectedRecord): void {
    if (ending !== undefined) this.#parts.findings.reach[ending] += 1;
  }

  async #finish(): Promise<void> {
    const { history, findings } = this.#parts;
    const { fold } = this.#reading;
    for (const before of this.#before.take()) await this.#foldTo(before);
    const { clock } = fold;
    const isCaughtUp = await this.#input.isAtEnd();
    await this.#checkStats();
    await this.#stats?.finish();
    if (this.#isAnchored) await this.#output.finish();
    else this.#letters.forget();
    const lettersLeft = await this.#letters.finish(this.#positions);
    if (this.#isAnchored) await this.#routes?.finish();
    await this.#checkDeliveries();
    if (this.#isAnchored) this.#checkState();
    else this.#places.changelog.undecided('everything: no commit has its whole state here');
    const end = this.#end();
    checkSettings(end, this.#inForce);
    checkKept(end, this.#state);
    if (this.#isAnchored && isCaughtUp) await checkOverdue(end, this.#reading);
    const behind = await this.#input.foldRest(this.#positions);
    this.#takeExpected();
    checkBehind(end, behind, clock, this.#closesDue());
    if (history.isComplete === true && lettersLeft > 0)
      this.#places.deadLetters.violation('I1', { what: `${lettersLeft} dead letters are of no commit` });
    findings.open += fold.begun;
    this.#countReach();
    for (const log of ['changelog', 'output', 'deadLetters'] as const)
      this.#walks[log].finish(await history[log].hanging());
  }

  /** Checks the local store (V8), and what was believed. */
  #checkState(): void {
    checkStore(this.#end(), this.#changelog.images);
    if (this.#input.tookClock)
      this.#places.input.undecided(
        'whether closes were early (V3): by proof "fetch" (C3) the clock passed the records; see clock_overtaken_total',
      );
  }

  #end(): PartitionEnd {
    const { history, findings } = this.#parts;
    return { history, findings, places: this.#places, last: this.#last, positions: this.#positions };
  }

  /** Closes that are due, and covered by no commit. */
  #closesDue(): number {
    const late = this.#isAnchored ? this.#reading.fold.overdue().length : 0;
    return late + this.#expected.filter(({ ending }) => ending !== undefined).length;
  }

  #countReach(): void {
    const { history, findings } = this.#parts;
    const { reach } = findings;
    reach.claims += this.#chain.claims;
    reach.owners += this.#chain.owners;
    reach.producers += this.#walks.changelog.writers;
    reach.abortedTransactions += this.#walks.changelog.aborted;
    const hasInputGone = inputsOf(history).some(({ firstOffset }) => firstOffset > 0);
    reach.truncations += Number(history.changelog.logStart > 0) + Number(hasInputGone);
  }
}
