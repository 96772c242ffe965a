// Compares a key's state in the changelog with those that the input gives: its machine's, or the one before a step since.
//
// Owns: which records a comparison has shown to be said too early.
// Does not own: the machines, whose steps the changelog has shown (EntriesFold).
import { isBelow } from '../logs/places.ts';
import type { Millis } from '@flatline/base';
import type { LoggedImage } from '../logs/changelog-fold.ts';
import type { EntryRules } from './entry-rules.ts';
import type { Entry, EntryTable } from './entry-table.ts';
import { expectedRecords } from './expected-records.ts';
import type { AfterCommit, EntryFault } from './reading.ts';

export class EntryComparison<State, Said> {
  readonly #kind: EntryRules<State, Said>;
  readonly #table: EntryTable<State, Said>;
  #early = new Set<string>();

  constructor(kind: EntryRules<State, Said>, table: EntryTable<State, Said>) {
    this.#kind = kind;
    this.#table = table;
  }

  takeEarly(): ReadonlySet<string> {
    const early = this.#early;
    this.#early = new Set();
    return early;
  }

  /** Returns the place behind the steps that the changelog shows, or the fault. @throws NotABlock */
  shownUpTo(
    entry: Entry<State, Said> | undefined,
    logged: LoggedImage | undefined,
    after: AfterCommit,
    clock: Millis,
  ): number | EntryFault {
    const found = logged && this.#kind.stateIn(logged);
    if (entry === undefined) return this.#surplus(found, after) ?? 0;
    const { steps, machine } = entry;
    const at = steps.all().findIndex(({ before }) => this.isSame(found, before));
    if (at >= 0) return steps.first + at;
    if (this.isSame(found, machine.state)) return steps.end;
    return this.#differing(entry, found, after, clock) ?? steps.first;
  }

  isSame(found: State | undefined, expected: State | undefined): boolean {
    if (found === undefined || expected === undefined) return found === expected;
    return this.#kind.differences(found, expected).length === 0;
  }

  /** True if the former life has not ended: it may have heard more since, by newer rules. */
  goesOn(found: State | undefined, before: State | undefined): boolean {
    const kind = this.#kind;
    if (kind.isOneLife !== true || found === undefined || before === undefined) return this.isSame(found, before);
    return kind.beginningOf(found) === kind.beginningOf(before);
  }

  #surplus(found: State | undefined, { namedAfter }: AfterCommit): EntryFault | undefined {
    if (found === undefined) return undefined;
    const returns = isBelow(this.#kind.beginningOf(found), namedAfter);
    return { rule: returns ? 'V11' : 'V5', what: this.#kind.faults.surplus(found, returns) };
  }

  /** The fault of a changelog whose state is none that the input gives. */
  #differing(
    entry: Entry<State, Said>,
    found: State | undefined,
    after: AfterCommit,
    clock: Millis,
  ): EntryFault | undefined {
    const { faults, isOneLife = false } = this.#kind;
    const { machine, steps } = entry;
    const { state } = machine;
    const due = isOneLife ? steps.at(steps.first)?.before : undefined;
    if (state === undefined) return due && found ? this.#unlike(found, due) : this.#surplus(found, after);
    const dueAt = machine.dueAt();
    const isLost = isOneLife && found === undefined && !after.isNamed;
    if (!isLost && this.#wasEarly(entry, found))
      return { rule: 'V3', what: faults.early({ state, dueAt, clock }, after.position) };
    if (found === undefined) return { rule: 'V5', what: faults.lacking(state, after.position) };
    return this.#unlike(found, state);
  }

  #unlike(found: State, expected: State): EntryFault {
    const different = this.#kind.differences(found, expected);
    return { rule: 'V5', what: `the changelog differs from the input: ${different.join('; ')}` };
  }

  /** True if the changelog is one due instant ahead. The machine then follows it, or every later record would be one more violation. */
  #wasEarly(entry: Entry<State, Said>, found: State | undefined): boolean {
    const { machine } = entry;
    const { state } = machine;
    const dueAt = machine.dueAt();
    if (dueAt === Infinity) return false;
    this.#table.change(entry, () => {
      machine.due(dueAt);
      if (!this.isSame(found, machine.state)) machine.state = state;
    });
    const said = machine.takeSaid();
    machine.takeCounted();
    if (!this.isSame(found, machine.state)) return false;
    for (const { id } of expectedRecords(this.#kind, entry, said, dueAt)) this.#early.add(id);
    this.#table.queue(entry);
    this.#table.forget(entry);
    return true;
  }
}
