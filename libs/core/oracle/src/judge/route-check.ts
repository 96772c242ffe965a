// Compares what outputs bring about in other topics with what lies there (P3): each output that calls for a record has it there, once,
// in the order of the outputs, and each record that says that it was routed from here has an output that calls for it.
//
// Owns: how far each partition of those topics is explained.
// Does not own: the outputs (OutputCheck), what they call for (naive-routes.ts).
//
// Invariants
//   RK1  Memory is one transaction of the output. What a task has routed to one partition lies there in the order of its outputs, so
//        each partition is read along with them.
import { murmur2Partition } from '../logs/murmur2.ts';
import { textOf } from '../logs/byte-names.ts';
import type { LetterRecord, OutputRecord, RouteOrigin, RoutedHistory, RoutedRecord } from '../logs/history.ts';
import { type ExpectedRoute, routesOf } from '../rules/routes/naive-routes.ts';
import { Feed } from './feed.ts';
import type { JudgedRules } from './kinds.ts';
import type { LetterCheck } from './letter-check.ts';
import type { Place } from './place.ts';
import type { Findings } from './report.ts';

export interface RouteCheckParts {
  readonly partition: number;
  readonly routed: RoutedHistory;
  /** In force (RF1). */
  readonly rules: JudgedRules;
  readonly findings: Findings;
  readonly letters: Pick<LetterCheck, 'takeUnroutable'>;
  readonly place: (topic: string, partition: number) => Place;
  /** The output's. */
  readonly output: Place;
  /** False: outputs before those that are here may have brought something about. */
  readonly isWhole: boolean;
  /** Outputs from there on may have brought about what came after this was read. */
  readonly decidedBelow: number;
  readonly isComplete: boolean;
}

interface Log {
  readonly place: Place;
  /** Records may be gone from it that later ones of their keys replace. */
  readonly isCompacted: boolean;
  readonly feed: Feed<RoutedRecord>;
  readonly isWhole: boolean;
  /** It has been brought in line with the outputs. */
  isAnchored: boolean;
  /** Outputs were passed over without looking for their records. */
  isOpen: boolean;
  last: RouteOrigin | undefined;
}

interface Topic {
  /** By number. */
  readonly logs: readonly Log[];
  /** By no fewer partitions were the last records led there: a topic only grows. */
  countLeast: number;
}

/** The commit whose outputs are looked at. */
interface RoutedCommit {
  /** undefined: nothing that it has routed was found yet. */
  sequence: number | undefined;
  /** Number of its next routed record; the least that it may be where `isOpen`. */
  number: number;
  /** A function that is not at hand has seen outputs of it: what it has routed lies among the rest, and is not known. */
  isOpen: boolean;
}

interface Explained {
  readonly output: OutputRecord;
  readonly commit: RoutedCommit;
}

export class RouteCheck {
  readonly #parts: RouteCheckParts;
  readonly #logs: ReadonlyMap<string, Topic>;
  /** Letters may be there for what a function that is not at hand could not make. */
  #isLetterOpen = false;
  /** Nothing was found of a commit with such a function, not even its number: records of it may lie anywhere. */
  #isOpen = false;

  constructor(parts: RouteCheckParts) {
    this.#parts = parts;
    const { routed, place, isWhole } = parts;
    const logsOf = (topic: string): readonly Log[] =>
      routed.topics.get(topic)!.map((source, partition) => ({
        place: place(topic, partition),
        isCompacted: routed.compacted?.has(topic) === true,
        feed: new Feed(source),
        isWhole: source.logStart === 0,
        isAnchored: isWhole && source.logStart === 0,
        isOpen: false,
        last: undefined,
      }));
    this.#logs = new Map([...routed.topics.keys()].map((topic) => [topic, { logs: logsOf(topic), countLeast: 1 }]));
  }

  /** Takes the next outputs of one transaction, which is one commit. `sequence`: its number, where it is known. */
  async check(outputs: readonly OutputRecord[], sequence?: number): Promise<void> {
    const { rules } = this.#parts;
    const { routes = [] } = rules;
    if (routes.length === 0) return;
    const commit: RoutedCommit = { sequence, number: 0, isOpen: this.#isOpen && sequence === undefined };
    for (const output of outputs)
      for (const outcome of routesOf(rules.kind, routes, output)) {
        if (outcome === 'unroutable') this.#letter(output);
        else if (outcome === 'unknown') this.#notAtHand(commit);
        else {
          await this.#explain(outcome, output, commit);
          commit.number += 1;
        }
      }
    if (commit.isOpen) await this.#leave(commit);
  }

  /** Takes what is left of a commit whose records are not all known. */
  async #leave({ sequence }: RoutedCommit): Promise<void> {
    if (sequence === undefined) {
      this.#isOpen = true;
      return;
    }
    for (const { logs } of this.#logs.values())
      for (const log of logs)
        for (let next = await this.#next(log); next !== undefined; next = await this.#next(log)) {
          if (next.origin!.commit > sequence) break;
          if (next.origin!.commit === sequence) log.place.undecided(NOT_AT_HAND);
          else this.#unexplained(log, next);
          log.feed.take();
        }
  }

  /** Reports what is left in the other topics: no output called for it. */
  async finish(): Promise<void> {
    const { isComplete, letters, output } = this.#parts;
    for (const { logs } of this.#logs.values())
      for (const log of logs)
        for (let next = await this.#next(log); next !== undefined; next = await this.#next(log)) {
          log.feed.take();
          if (!log.isAnchored) log.place.undecided('what was routed there by outputs that are gone');
          else if (isComplete) this.#unexplained(log, next);
          else log.place.undecided('what was routed there while this was read');
        }
    for (let letter = letters.takeUnroutable(); letter !== undefined; letter = letters.takeUnroutable())
      if (this.#isLetterOpen) output.undecided(NOT_AT_HAND);
      else
        output.violation('P3', {
          what: `dead letter ${letter.offset} is unroutable, and no output without its route is here`,
        });
  }

  /** Looks for the record that `expected` names where its key leads. */
  async #explain(expected: ExpectedRoute, output: OutputRecord, commit: RoutedCommit): Promise<void> {
    const topic = this.#logs.get(expected.to);
    if (topic === undefined) this.#parts.output.undecided(`what was routed to ${expected.to}, which is not read`);
    else await this.#match(await this.#logOf(topic, expected, commit), expected, { output, commit });
  }

  /** Where its record lies by a partition count that the topic may have had then; where it lies nowhere, by that of now. */
  async #logOf(topic: Topic, expected: ExpectedRoute, commit: RoutedCommit): Promise<Log> {
    const { logs } = topic;
    for (let count = topic.countLeast; count <= logs.length; count += 1) {
      const log = logs[murmur2Partition(expected.key, count)]!;
      if (!(await this.#isNext(log, expected, commit))) continue;
      topic.countLeast = count;
      return log;
    }
    return logs[murmur2Partition(expected.key, logs.length)]!;
  }

  /** Whether the record comes next there, but for those of former commits, which no output calls for. */
  async #isNext(log: Log, expected: ExpectedRoute, commit: RoutedCommit): Promise<boolean> {
    for (let next = await this.#next(log); next !== undefined; next = await this.#next(log)) {
      const order = orderOf(next.origin!, commit);
      // By its whole name it is known, whatever it says.
      const isNamed = commit.sequence !== undefined && !commit.isOpen;
      if (order >= 0) return order === 0 && (isNamed || faultOf(next, expected) === undefined);
      this.#unexplained(log, next);
      log.feed.take();
    }
    return false;
  }

  async #match(log: Log, expected: ExpectedRoute, explained: Explained): Promise<void> {
    const { output, commit } = explained;
    if (commit.sequence === undefined && !log.isAnchored) {
      this.#unsure(log);
      return;
    }
    if (commit.sequence === undefined && log.isCompacted) {
      // What comes next may be of a later commit that says the same.
      log.isOpen = true;
      log.place.undecided(COMPACTED);
      return;
    }
    for (let next = await this.#next(log); next !== undefined; next = await this.#next(log)) {
      const order = orderOf(next.origin!, commit);
      if (order > 0) break;
      if (order < 0) {
        this.#unexplained(log, next);
        log.feed.take();
        continue;
      }
      const fault = faultOf(next, expected);
      if (fault !== undefined && commit.isOpen) {
        log.place.undecided(NOT_AT_HAND);
        log.feed.take();
        continue;
      }
      if (fault !== undefined) this.#otherwise(log, next, fault, output);
      this.#took(log, next, commit);
      return;
    }
    if (log.isCompacted) log.place.undecided(COMPACTED);
    else if (commit.isOpen) log.place.undecided(NOT_AT_HAND);
    else if (log.isAnchored || log.isWhole) this.#missing(log, expected, output);
    else this.#unsure(log);
  }

  #unsure({ place }: Log): void {
    place.undecided('what was routed there first: a log begins above 0');
  }

  #took(log: Log, { origin }: RoutedRecord, commit: RoutedCommit): void {
    log.feed.take();
    log.last = origin;
    log.isAnchored = true;
    commit.sequence = origin!.commit;
    this.#parts.findings.reach.routed += 1;
  }

  /** The next record from here; those that repeat are reported. */
  async #next(log: Log): Promise<RoutedRecord | undefined> {
    const { group } = this.#parts.routed;
    while (await log.feed.fill()) {
      const { record } = log.feed.next!;
      const { origin } = record;
      const isOurs = origin?.group === group && origin.partition === this.#parts.partition;
      if (isOurs && !isAgain(origin, log.last)) return record;
      if (isOurs) this.#again(log, record);
      log.feed.take();
    }
    return undefined;
  }

  #again({ place }: Log, { offset, key, origin }: RoutedRecord): void {
    place.violation('P3', {
      offset,
      ...keyIn(key),
      what: `was routed a second time, or out of order: record ${origin!.number} of commit ${origin!.commit} of partition ${origin!.partition}`,
    });
  }

  #missing({ place }: Log, { to, key }: ExpectedRoute, output: OutputRecord): void {
    const { isComplete, decidedBelow, output: at } = this.#parts;
    if (!isComplete && output.offset >= decidedBelow) {
      place.undecided('what was routed there while this was read');
      return;
    }
    at.violation('P3', {
      offset: output.offset,
      ...keyIn(output.key),
      what: `brings about a record of ${to} with the key ${textOf(key)}, which is not there`,
    });
  }

  #otherwise(log: Log, { offset, key }: RoutedRecord, fault: string, output: OutputRecord): void {
    log.place.violation('P3', {
      offset,
      ...keyIn(key),
      what: `is not what output offset ${output.offset} brings about: ${fault}`,
    });
  }

  /** No output that was looked at calls for it. */
  #unexplained(log: Log, next: RoutedRecord): void {
    if (!log.isAnchored) this.#unsure(log);
    else if (log.isOpen) log.place.undecided(COMPACTED);
    else if (this.#isOpen) log.place.undecided(NOT_AT_HAND);
    else this.#extra(log, next);
  }

  #extra({ place }: Log, { offset, key, origin }: RoutedRecord): void {
    place.violation('P3', {
      offset,
      ...keyIn(key),
      what: `was routed by commit ${origin!.commit} of partition ${origin!.partition}, and no output calls for it`,
    });
  }

  #letter({ offset, key, value }: OutputRecord): void {
    const { letters, output } = this.#parts;
    const isOf = (letter: LetterRecord): boolean => isBeginning(letter.key, key) && isBeginning(letter.value, value);
    let letter = letters.takeUnroutable();
    while (this.#isLetterOpen && letter !== undefined && !isOf(letter)) letter = letters.takeUnroutable();
    const where = { offset, ...keyIn(key) };
    if (letter === undefined && this.#isLetterOpen) output.undecided(NOT_AT_HAND);
    else if (letter === undefined)
      output.violation('P3', { ...where, what: 'has a route that makes no record, and is no dead letter' });
    else if (!isOf(letter))
      output.violation('P3', { ...where, what: `is not what dead letter ${letter.offset} has of it` });
  }

  #notAtHand(commit: RoutedCommit): void {
    commit.isOpen = true;
    this.#isLetterOpen = true;
    this.#parts.output.undecided(NOT_AT_HAND);
  }
}

const COMPACTED = 'what was routed there and may have been replaced since: the topic is compacted';
const NOT_AT_HAND = 'what a function routed that the configuration does not have';

/** Above 0: it comes later than the commit's next record, which is then not there. Below 0: that comes before it. */
function orderOf({ commit, number }: RouteOrigin, next: RoutedCommit): number {
  // With an unknown commit only the number is known, and the order in which all lie.
  if (next.sequence === undefined) return next.isOpen || number === next.number ? 0 : 1;
  return commit - next.sequence || (next.isOpen ? 0 : number - next.number);
}

function isAgain(origin: RouteOrigin, last: RouteOrigin | undefined): boolean {
  if (last === undefined) return false;
  return origin.commit < last.commit || (origin.commit === last.commit && origin.number <= last.number);
}

/** undefined: it is as expected, but for the header that says where it is from. */
function faultOf({ key, value, headers }: RoutedRecord, expected: ExpectedRoute): string | undefined {
  if (!isSame(key, expected.key))
    return `its key is ${key === null ? 'null' : textOf(key)}, not ${textOf(expected.key)}`;
  if (!isSame(value, expected.value)) return 'its value';
  const own = headers.slice(0, -1);
  const isEqual =
    own.length === expected.headers.length &&
    own.every(({ name, value: of }, i) => name === expected.headers[i]!.name && isSame(of, expected.headers[i]!.value));
  return isEqual ? undefined : 'its headers';
}

function isSame(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

function isBeginning(kept: Uint8Array | null, whole: Uint8Array | null): boolean {
  if (kept === null || whole === null) return kept === whole;
  return kept.length <= whole.length && kept.every((byte, at) => byte === whole[at]);
}

function keyIn(key: Uint8Array | null): { readonly key?: string } {
  return key === null ? {} : { key: textOf(key) };
}
