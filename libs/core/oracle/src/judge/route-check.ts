// Compares what outputs bring about in other topics with what lies there (P3): each output that calls for a record has it there, once,
// in the order of the outputs, and each record that says that it was routed from here has an output that calls for it.
//
// Owns: the commit that is looked at, what of it is open.
// Does not own: the outputs (OutputCheck), what they call for (naive-routes.ts), how far a partition is explained (RoutedLog).
//
// Invariants
//   RK1  Memory is one transaction of the output. What a task has routed to one partition lies there in the order of its outputs, so
//        each partition is read along with them.
import { murmur2Partition } from '../logs/murmur2.ts';
import { textOf } from '../logs/byte-names.ts';
import type { OutputRecord, RoutedHistory } from '../logs/history.ts';
import { type ExpectedRoute, routesOf } from '../rules/routes/naive-routes.ts';
import type { OutputWords } from '../rules/reading.ts';
import type { LetterCheck } from './letter-check.ts';
import type { Place } from './place.ts';
import type { Findings } from './report.ts';
import type { RulesInForce, SaidRoutes } from './rules-in-force.ts';
import { COMPACTED, NOT_AT_HAND, RoutedLog } from './routed-log.ts';
import { faultOf, isBeginning, keyIn, orderOf, type RoutedCommit } from './routed-record.ts';

const BY_WHICH_ROUTES = 'by which routes outputs were said: the changelog tells others, and no longer their commit';

export interface RouteCheckParts {
  readonly partition: number;
  readonly routed: RoutedHistory;
  /** The routes in force (RF1), and all that the changelog tells. */
  readonly inForce: Pick<RulesInForce, 'rules' | 'routesSaid'>;
  /** Reads what outputs say. */
  readonly words: Pick<OutputWords, 'saidIn'>;
  readonly findings: Findings;
  readonly letters: Pick<LetterCheck, 'firstUnroutable' | 'takeUnroutable'>;
  readonly place: (topic: string, partition: number) => Place;
  /** The output's. */
  readonly output: Place;
  /** False: outputs before those that are here may have brought something about. */
  readonly isWhole: boolean;
  /** Outputs from there on may have brought about what came after this was read. */
  readonly decidedBelow: number;
  readonly isComplete: boolean;
}

interface Topic {
  /** By number. */
  readonly logs: readonly RoutedLog[];
  /** By no fewer partitions were the last records led there: a topic only grows. */
  countLeast: number;
}

interface Explained {
  readonly output: OutputRecord;
  readonly commit: RoutedCommit;
}

export class RouteCheck {
  readonly #parts: RouteCheckParts;
  readonly #topics: ReadonlyMap<string, Topic>;
  /** Outputs of which there is to be a letter, in order. */
  readonly #owing: OutputRecord[] = [];
  /** Why letters may be there for what is not known here to have called for any; undefined: none may. */
  #lettersOpen: string | undefined;
  /** Nothing was found of a commit with such a function, not even its number: records of it may lie anywhere. */
  #isOpen = false;
  /** Who wrote the last transaction, and by which routes. */
  #writer: { readonly is: string; readonly routes: SaidRoutes['routes'] } = { is: '', routes: undefined };

  constructor(parts: RouteCheckParts) {
    this.#parts = parts;
    const { routed, place, isWhole, partition: own } = parts;
    const logsOf = (topic: string): readonly RoutedLog[] =>
      routed.topics.get(topic)!.map(
        (source, partition) =>
          new RoutedLog({
            place: place(topic, partition),
            source,
            from: { group: routed.group, partition: own },
            isCompacted: routed.compacted?.has(topic) === true,
            hasAllOutputs: isWhole,
          }),
      );
    this.#topics = new Map([...routed.topics.keys()].map((topic) => [topic, { logs: logsOf(topic), countLeast: 1 }]));
  }

  /** Takes the next outputs of one transaction, which is one commit. `sequence`: its number, where it is known. `writer`: its process. */
  async check(outputs: readonly OutputRecord[], sequence?: number, writer?: string): Promise<void> {
    const { words, inForce } = this.#parts;
    const routes = sequence === undefined ? await this.#routesOf(outputs, writer) : inForce.rules.routes;
    if (writer !== undefined) this.#writer = { is: writer, routes };
    const commit: RoutedCommit = { sequence, number: 0, isOpen: this.#isOpen && sequence === undefined };
    for (const output of outputs)
      for (const outcome of routesOf(words, routes ?? [], output)) {
        if (outcome === 'unroutable') this.#owing.push(output);
        else if (outcome === 'unknown') this.#notAtHand(commit);
        else {
          await this.#explain(outcome, output, commit);
          commit.number += 1;
        }
      }
    if (commit.isOpen) await this.#leave(commit);
    this.#pairLetters();
  }

  /**
   * The routes of a commit whose number is not known: what was due may have been said by a later process, by routes that came to be since.
   * One process has the same all along, and its number is that of what it has routed.
   */
  async #routesOf(outputs: readonly OutputRecord[], writer: string | undefined): Promise<SaidRoutes['routes']> {
    const { rules, routesSaid } = this.#parts.inForce;
    const { routes: now } = rules;
    if (routesSaid.every(({ routes }) => JSON.stringify(routes) === JSON.stringify(now))) return now;
    if (this.#writer.is === writer) return this.#writer.routes;
    const next = await this.#next();
    if (next !== undefined && next.writer === writer)
      return routesSaid.findLast(({ sequence }) => sequence <= next.commit)?.routes ?? now;
    if (this.#callFor(now, outputs) && this.#maySayOtherwise(outputs)) {
      this.#lettersOpen ??= BY_WHICH_ROUTES;
      this.#parts.output.undecided(BY_WHICH_ROUTES);
      return [];
    }
    return now;
  }

  #maySayOtherwise(outputs: readonly OutputRecord[]): boolean {
    // Earlier routes, too: what was due has been said by a process that had them still.
    return this.#parts.inForce.routesSaid.some(({ routes }) => !this.#callFor(routes, outputs));
  }

  #callFor(routes: SaidRoutes['routes'] = [], outputs: readonly OutputRecord[]): boolean {
    return outputs.some((output) => routesOf(this.#parts.words, routes, output).length > 0);
  }

  /** The first commit of which something was routed that is not explained yet; undefined: there is none. */
  async #next(): Promise<{ readonly commit: number; readonly writer: string | undefined } | undefined> {
    let first: { readonly commit: number; readonly writer: string | undefined } | undefined;
    for (const { logs } of this.#topics.values())
      for (const log of logs) {
        const commit = (await log.next())?.origin?.commit;
        if (commit !== undefined && commit < (first?.commit ?? Infinity)) first = { commit, writer: log.writer };
      }
    return first;
  }

  /** Takes what is left of a commit whose records are not all known. */
  async #leave({ sequence }: RoutedCommit): Promise<void> {
    if (sequence === undefined) {
      this.#isOpen = true;
      return;
    }
    for (const { logs } of this.#topics.values())
      for (const log of logs)
        for (let next = await log.next(); next !== undefined; next = await log.next()) {
          if (next.origin!.commit > sequence) break;
          if (next.origin!.commit === sequence) log.place.undecided(NOT_AT_HAND);
          else log.unexplained(next, this.#isOpen);
          log.take();
        }
  }

  /** Reports what is left in the other topics: no output called for it. */
  async finish(): Promise<void> {
    const { isComplete, letters, output } = this.#parts;
    for (const { logs } of this.#topics.values())
      for (const log of logs)
        for (let next = await log.next(); next !== undefined; next = await log.next()) {
          log.take();
          if (!log.isAnchored) log.place.undecided('what was routed there by outputs that are gone');
          else if (isComplete) log.unexplained(next, this.#isOpen);
          else log.place.undecided('what was routed there while this was read');
        }
    this.#pairLetters();
    for (const { offset, key } of this.#owing)
      if (this.#lettersOpen !== undefined) output.undecided(this.#lettersOpen);
      else
        output.violation('P3', {
          offset,
          ...keyIn(key),
          what: 'has a route that makes no record, and is no dead letter',
        });
    for (let letter = letters.firstUnroutable; letter !== undefined; letter = letters.firstUnroutable) {
      letters.takeUnroutable();
      if (this.#lettersOpen !== undefined) output.undecided(this.#lettersOpen);
      else
        output.violation('P3', {
          what: `dead letter ${letter.offset} is unroutable, and no output without its route is here`,
        });
    }
  }

  /** Looks for the record that `expected` names where its key leads. */
  async #explain(expected: ExpectedRoute, output: OutputRecord, commit: RoutedCommit): Promise<void> {
    const topic = this.#topics.get(expected.to);
    if (topic === undefined) this.#parts.output.undecided(`what was routed to ${expected.to}, which is not read`);
    else await this.#match(await this.#logOf(topic, expected, commit), expected, { output, commit });
  }

  /** Where its record lies by a partition count that the topic may have had then; where it lies nowhere, by that of now. */
  async #logOf(topic: Topic, expected: ExpectedRoute, commit: RoutedCommit): Promise<RoutedLog> {
    const { logs } = topic;
    for (let count = topic.countLeast; count <= logs.length; count += 1) {
      const log = logs[murmur2Partition(expected.key, count)]!;
      if (!(await this.#isNext(log, expected, commit))) continue;
      topic.countLeast = count;
      return log;
    }
    return logs[murmur2Partition(expected.key, logs.length)]!;
  }

  /** True if the record comes next there, but for those of former commits, which no output calls for. */
  async #isNext(log: RoutedLog, expected: ExpectedRoute, commit: RoutedCommit): Promise<boolean> {
    for (let next = await log.next(); next !== undefined; next = await log.next()) {
      const order = orderOf(next.origin!, commit);
      // By its whole name it is known, whatever it says.
      const isNamed = commit.sequence !== undefined && !commit.isOpen;
      if (order >= 0) return order === 0 && (isNamed || faultOf(next, expected) === undefined);
      log.unexplained(next, this.#isOpen);
      log.take();
    }
    return false;
  }

  async #match(log: RoutedLog, expected: ExpectedRoute, explained: Explained): Promise<void> {
    const { output, commit } = explained;
    if (commit.sequence === undefined && !log.isAnchored) {
      log.unsure();
      return;
    }
    if (commit.sequence === undefined && log.isCompacted) {
      // The next record may be of a later commit that says the same.
      log.isOpen = true;
      log.place.undecided(COMPACTED);
      return;
    }
    for (let next = await log.next(); next !== undefined; next = await log.next()) {
      const order = orderOf(next.origin!, commit);
      if (order > 0) break;
      if (order < 0) {
        log.unexplained(next, this.#isOpen);
        log.take();
        continue;
      }
      const fault = faultOf(next, expected);
      if (fault !== undefined && commit.isOpen) {
        log.place.undecided(NOT_AT_HAND);
        log.take();
        continue;
      }
      if (fault !== undefined) log.otherwise(next, fault, output.offset);
      log.took(next);
      commit.sequence = next.origin!.commit;
      this.#parts.findings.reach.routed += 1;
      return;
    }
    if (log.isCompacted) log.place.undecided(COMPACTED);
    else if (commit.isOpen) log.place.undecided(NOT_AT_HAND);
    else if (log.isAnchored || log.isWhole) this.#missing(log, expected, output);
    else log.unsure();
  }

  #missing({ place }: RoutedLog, { to, key }: ExpectedRoute, output: OutputRecord): void {
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

  /** Letters are read as the input is, and one names the last record of its commit: it may come later than its output is looked at. */
  #pairLetters(): void {
    const { letters, output } = this.#parts;
    for (let letter = letters.firstUnroutable; letter !== undefined; letter = letters.firstUnroutable) {
      const [owing] = this.#owing;
      if (owing === undefined) return;
      const { offset, key, value } = owing;
      letters.takeUnroutable();
      const isOf = isBeginning(letter.key, key) && isBeginning(letter.value, value);
      if (!isOf && this.#lettersOpen !== undefined) continue;
      this.#owing.shift();
      if (isOf) continue;
      output.violation('P3', { offset, ...keyIn(key), what: `is not what dead letter ${letter.offset} has of it` });
    }
  }

  #notAtHand(commit: RoutedCommit): void {
    commit.isOpen = true;
    this.#lettersOpen ??= NOT_AT_HAND;
    this.#parts.output.undecided(NOT_AT_HAND);
  }
}
