// The entries of a kind whose rules are a machine for each key: told records and instants, it says what becomes of them.
//
// Owns: a machine per key, what each still owes.
// Does not own: the rules of a kind (its machine).
//
// Invariants
//   EF1  What is due takes effect here at the first clock that reaches it, instant by instant, whenever the processor gets to it.
//   EF2  Since a key's last record its state in the changelog is that of its machine then, or after some of the instants since:
//        its `steps`. All of them are behind it with the key's next record (S3).
//   EF3  What took effect is said in the commit that shows it, but for what the changelog then says is owed: that in later ones.
import type { Millis } from '@flatline/base';
import { bytesOf, textOf } from '../logs/byte-names.ts';
import type { LoggedImage } from '../logs/changelog-fold.ts';
import type { CommonRules, OutputRecord } from '../logs/history.ts';
import { DueOrder } from './due-order.ts';
import type { EntryRules, Machine } from './entry-rules.ts';
import { type FoldCounts, InputFold, type Keyed, type Weight, weightOf } from './input-fold.ts';
import type { AfterCommit, EntryFault, ExpectedRecord, KindEntries, LaterState } from './reading.ts';
import { SaidQueue } from './said-queue.ts';
import { type Step, Steps } from './steps.ts';

interface Entry<State, Said> {
  readonly key: Uint8Array;
  readonly machine: Machine<State, Said>;
  steps: Steps<State>;
  /** Upper bound on the bytes of its state. */
  stateBytes: number;
  /** Earliest instant at which it stands in the order. */
  queuedAt: Millis;
}

export interface EntriesFoldParts<State, Said> {
  readonly rules: CommonRules;
  readonly counts: FoldCounts;
  readonly kind: EntryRules<State, Said>;
  /** Told what a machine says when it does, for whoever holds all of an input. */
  readonly onSaid?: (key: Uint8Array, said: readonly Said[]) => void;
  /** Counts the records of each key (X3). Default: does not. */
  readonly countsRecords?: boolean;
}

export class EntriesFold<State, Said> extends InputFold implements KindEntries {
  readonly #kind: EntryRules<State, Said>;
  readonly #onSaid: (key: Uint8Array, said: readonly Said[]) => void;
  readonly #heard: Map<string, number> | undefined;
  readonly #entries = new Map<string, Entry<State, Said>>();
  readonly #order = new DueOrder();
  /** Records for what took effect, which no commit has been seen to say. */
  readonly #expected = new SaidQueue<ExpectedRecord>();
  /** Steps of all entries. */
  #stepsHeld = 0;
  /** By name, the id of the first record that is owed. */
  readonly #owed = new Map<string, string>();
  /** Names that owed what the input no longer tells of. */
  readonly #owedBefore = new Set<string>();
  #early = new Set<string>();
  /** Entries that live, and the bytes of their keys; and of those that ended since the last commit. */
  #live: Weight = { entries: 0, keyBytes: 0 };
  #gone: Weight = { entries: 0, keyBytes: 0 };
  /** Upper bounds on the bytes of the states, and of those that have changed since the last commit, before that. */
  #stateBytes = 0;
  #goneStateBytes = 0;

  readonly #shown = {
    read: (logged: LoggedImage): State | undefined => this.#kind.stateIn(logged),
    isSame: (found: State | undefined, before: State | undefined): boolean => this.#isSame(found, before),
  };

  constructor({ rules, counts, kind, onSaid = () => undefined, countsRecords = false }: EntriesFoldParts<State, Said>) {
    super(rules, counts);
    this.#kind = kind;
    this.addsAtMost = kind.addsAtMost ?? 0;
    this.#onSaid = onSaid;
    this.#heard = countsRecords ? new Map() : undefined;
  }

  get size(): number {
    return this.#live.entries;
  }

  *names(): Iterable<string> {
    for (const [name, { machine, steps }] of this.#entries)
      if (machine.state !== undefined || steps.size > 0) yield name;
  }

  takeOver(images: ReadonlyMap<string, LoggedImage>, clock: Millis): void {
    for (const [name, image] of images) {
      const entry = this.#entryOf(name, image.key);
      this.#change(name, entry, () => {
        entry.machine.state = this.#kind.stateIn(image);
      });
      this.#queue(name, entry);
      if (this.#kind.owedFrom?.(image) !== undefined) this.#owedBefore.add(name);
    }
    this.clock = clock;
    this.moved();
  }

  rulesChanged(): void {
    for (const [name, entry] of this.#entries) {
      const first = entry.steps.at(entry.steps.first);
      if (first === undefined) continue;
      for (const { opened } of entry.steps.all()) this.counts.opened -= opened;
      this.#stepsHeld -= entry.steps.size;
      entry.steps = new Steps();
      this.#change(name, entry, () => {
        entry.machine.state = first.before;
      });
      this.#settle(name, entry);
    }
  }

  compare(name: string, logged: LoggedImage | undefined, after: AfterCommit): readonly EntryFault[] {
    const faults = this.#compareState(name, logged, after);
    const owed = logged && this.#kind.owedFrom?.(logged);
    this.#owed.delete(name);
    if (owed !== undefined && this.#expected.has(name, owed)) this.#owed.set(name, owed);
    else if (owed !== undefined && !this.#owedBefore.has(name))
      return [...faults, { rule: 'V5', what: `the changelog owes ${owed}, which the input does not leave to be said` }];
    if (owed === undefined) this.#owedBefore.delete(name);
    return faults;
  }

  #compareState(name: string, logged: LoggedImage | undefined, after: AfterCommit): readonly EntryFault[] {
    const found = logged && this.#kind.stateIn(logged);
    const entry = this.#entries.get(name);
    if (entry === undefined) return this.#surplus(found, after);
    const { steps } = entry;
    const at = steps.all().findIndex(({ before }) => this.#isSame(found, before));
    if (at < 0 && !this.#isSame(found, entry.machine.state)) return this.#differing(name, entry, found, after);
    this.#pass(entry, at < 0 ? steps.end : steps.first + at);
    this.#forget(name, entry);
    return [];
  }

  takeExpected(): ExpectedRecord[] {
    const owing = new Set<string>();
    const said: ExpectedRecord[] = [];
    for (const each of this.#expected.takeAll()) {
      if (this.#owed.get(each.name) === each.id) owing.add(each.name);
      if (owing.has(each.name)) this.#expected.add(each);
      else said.push(each);
    }
    this.#gone = { entries: 0, keyBytes: 0 };
    this.#goneStateBytes = 0;
    return said;
  }

  hasSaid(name: string, id: string, logged: LoggedImage | undefined): boolean {
    const owed = logged && this.#kind.owedFrom?.(logged);
    if (this.#expected.has(name, id)) return owed === undefined || !this.#expected.isUpTo(name, owed, id);
    const steps = this.#entries.get(name)?.steps;
    const place = steps?.placeOf(id) ?? -1;
    if (steps === undefined || place < 0) return false;
    if (logged === undefined) return true;
    if (owed !== undefined && (this.#expected.has(name, owed) || steps.isUpTo(owed, id))) return false;
    return !steps.isShownBefore(place, logged, this.#shown);
  }

  takeSaid(name: string, id: string): ReturnType<KindEntries['takeSaid']> {
    const entry = this.#entries.get(name);
    if (entry !== undefined) {
      this.#pass(entry, entry.steps.placeOf(id) + 1);
      this.#forget(name, entry);
    }
    return this.#expected.take(name, id);
  }

  get remembered(): number {
    return this.#entries.size + this.#expected.size + this.#stepsHeld;
  }

  forgetUnsaid(most: number, state: LaterState): readonly ExpectedRecord[] {
    const surplus = this.#expected.size + this.#stepsHeld - most;
    const gone: ExpectedRecord[] = [];
    for (const { name, id } of this.#expected.each()) {
      if (gone.length >= surplus) break;
      if (state.stands(name, id)) gone.push(this.#expected.take(name, id)!.expected);
    }
    for (const [name, entry] of this.#entries) {
      const { machine, steps } = entry;
      const isOver = machine.state === undefined && !state.has(name);
      const end = steps.standingEnd(surplus - gone.length, isOver, (id) => state.stands(name, id));
      for (const { expected } of this.#takeSteps(entry, end)) gone.push(...expected);
      this.#forget(name, entry);
    }
    return gone;
  }

  takeEarly(): ReadonlySet<string> {
    const early = this.#early;
    this.#early = new Set();
    return early;
  }

  settleAll(): void {
    for (const [name, entry] of this.#entries) {
      this.#pass(entry, entry.steps.end);
      this.#forget(name, entry);
    }
    this.#owed.clear();
  }

  *lives(): Iterable<{ readonly text: string; readonly dueAt: Millis }> {
    for (const { key, machine } of this.#entries.values())
      if (machine.state !== undefined) yield { text: textOf(key), dueAt: machine.dueAt() };
  }

  overdue(): readonly { readonly text: string; readonly what: string }[] {
    const owed = this.#expected.all().map(({ text, why }) => ({ text, what: `${why} is owed and has not been said` }));
    const due = [...this.#entries.values()]
      .filter(({ steps }) => steps.size > 0)
      .map(({ key, steps }) => {
        const { before, expected } = steps.at(steps.first)!;
        const what = expected.map(({ why }) => why).join(', ');
        const named = before === undefined ? 'what' : this.#kind.named(before);
        return {
          text: textOf(key),
          what: `${named} is due and has not taken effect (${what}): the clock is ${this.clock}`,
        };
      });
    return [...owed, ...due];
  }

  mayComeLater(name: string, id: string, record: OutputRecord, position: number): boolean {
    const { latestOffsetOf, instantOf } = this.#kind;
    if (latestOffsetOf(record) >= position) return true;
    if (this.#expected.has(name, id)) return true;
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    if (entry.steps.placeOf(id) >= 0) return true;
    return (
      entry.machine.state !== undefined && ((instantOf(record) ?? 0) > this.clock || this.#comesNext(name, entry, id))
    );
  }

  /** A run's record names its instant without the jitter, which only its schedule tells. */
  #comesNext(name: string, { machine, key }: Entry<State, Said>, id: string): boolean {
    const { state } = machine;
    const dueAt = machine.dueAt();
    if (dueAt === Infinity) return false;
    machine.due(dueAt);
    machine.state = state;
    machine.takeOpened();
    return this.#expectedOf(name, key, machine.takeSaid(), dueAt).some((each) => each.id === id);
  }

  whyEarly(_name: string, record: OutputRecord): string | undefined {
    const instant = this.#kind.instantOf(record);
    if (instant === undefined || instant <= this.clock) return undefined;
    return `it says ${instant}, and the clock of this commit is ${this.clock}`;
  }

  heard(): Iterable<{ readonly text: string; readonly records: number }> {
    return [...(this.#heard ?? [])].map(([name, records]) => ({ text: textOf(bytesOf(name)), records }));
  }

  protected override moving(): void {
    // Everything due before has taken effect (EF1).
  }

  protected override moved(): void {
    for (let due = this.#order.take(this.clock); due !== undefined; due = this.#order.take(this.clock)) {
      const entry = this.#entries.get(due.name);
      // It stands there at another instant, too.
      if (entry?.queuedAt !== due.at) continue;
      entry.queuedAt = Infinity;
      this.#settle(due.name, entry);
    }
  }

  protected override living(): Weight {
    return this.#live;
  }

  protected override livingAtMost(): Weight {
    return this.#live;
  }

  protected override statesAtMost(): number {
    return this.#stateBytes + this.#goneStateBytes;
  }

  protected override letGo(): Weight {
    return this.#gone;
  }

  protected override keyed({ name, key, record, effectiveAt, isFull, saysStateFull = false }: Keyed): void {
    if (this.#heard !== undefined) this.#heard.set(name, (this.#heard.get(name) ?? 0) + 1);
    const entry = this.#entryOf(name, key);
    this.#pass(entry, entry.steps.end);
    const hasNoRoom = saysStateFull && this.#kind.needsRoom(record, entry.machine.state);
    if (record.isRefused === true || hasNoRoom) this.refuse(record);
    else if (!this.#take(name, entry, { record, effectiveAt, isFull })) this.refuse(record);
    // Stamped in the past by its producer, it may be due at once.
    this.#settle(name, entry);
    this.#forget(name, entry);
  }

  #take(
    name: string,
    entry: Entry<State, Said>,
    { record, effectiveAt, isFull }: Pick<Keyed, 'record' | 'effectiveAt' | 'isFull'>,
  ): boolean {
    const { machine, key } = entry;
    const { state } = machine;
    let isTaken = false;
    this.#change(name, entry, () => {
      isTaken = machine.take(record, { clock: this.clock, effectiveAt, offset: record.offset });
      const opens = machine.state !== undefined || (isTaken && this.#kind.passesThrough?.(record) === true);
      if (state !== undefined || !opens || !isFull()) return;
      machine.state = state;
      machine.takeSaid();
      machine.takeOpened();
      isTaken = false;
    });
    const said = machine.takeSaid();
    this.counts.opened += machine.takeOpened();
    this.#onSaid(key, said);
    for (const each of this.#expectedOf(name, key, said, undefined)) this.#expected.add(each);
    return isTaken;
  }

  #settle(name: string, entry: Entry<State, Said>): void {
    const { machine, key } = entry;
    for (let dueAt = machine.dueAt(); dueAt <= this.clock; dueAt = machine.dueAt()) {
      const before = machine.state;
      this.dues += 1;
      this.#change(name, entry, () => {
        machine.due(this.clock);
      });
      const said = machine.takeSaid();
      const opened = machine.takeOpened();
      this.counts.opened += opened;
      this.#onSaid(key, said);
      this.#stepsHeld += 1;
      entry.steps.add({ before, opened, expected: this.#expectedOf(name, key, said, dueAt) });
    }
    this.#queue(name, entry);
  }

  /** Its steps before the place `end` have taken effect in the changelog, too. */
  #pass(entry: Entry<State, Said>, end: number): void {
    for (const { expected } of this.#takeSteps(entry, end)) for (const each of expected) this.#expected.add(each);
  }

  #takeSteps({ steps }: Entry<State, Said>, end: number): readonly Step<State>[] {
    const taken = steps.takeUpTo(end);
    this.#stepsHeld -= taken.length;
    return taken;
  }

  #expectedOf(name: string, key: Uint8Array, said: readonly Said[], dueAt: Millis | undefined): ExpectedRecord[] {
    return said.flatMap((each) => {
      const expectation = this.#kind.expect(each, key);
      if (expectation === undefined) return [];
      const { at = 0, compare: comparedWith, ...expected } = expectation;
      const compare = (record: OutputRecord): EntryFault | undefined => {
        const fault = comparedWith(record);
        const isEarly = dueAt !== undefined && (this.#kind.instantOf(record) ?? at) < at;
        return fault && (isEarly ? { rule: 'V3', what: `it comes early: ${fault.what}` } : fault);
      };
      return [{ ...expected, compare, name, text: textOf(key), dueAt, records: 0 }];
    });
  }

  /** The changelog has another state than any that the input gives. */
  #differing(
    name: string,
    entry: Entry<State, Said>,
    found: State | undefined,
    after: AfterCommit,
  ): readonly EntryFault[] {
    const { machine } = entry;
    const { state } = machine;
    if (state === undefined) return this.#surplus(found, after);
    if (this.#wasEarly(name, entry, found)) {
      const what = `${this.#kind.named(state)} took effect early: no record below position ${after.position} has reached its due instant, the clock was ${this.clock}`;
      return [{ rule: 'V3', what }];
    }
    if (found === undefined)
      return [
        { rule: 'V5', what: `the changelog lacks ${this.#kind.named(state)}, open at position ${after.position}` },
      ];
    const different = this.#kind.differences(found, state);
    return [{ rule: 'V5', what: `the changelog differs from the input: ${different.join('; ')}` }];
  }

  /** True if the changelog is one due instant ahead. The fold then follows it, or every later record would be one more violation. */
  #wasEarly(name: string, entry: Entry<State, Said>, found: State | undefined): boolean {
    const { machine, key } = entry;
    const { state } = machine;
    const dueAt = machine.dueAt();
    if (dueAt === Infinity) return false;
    this.#change(name, entry, () => {
      machine.due(dueAt);
      if (!this.#isSame(found, machine.state)) machine.state = state;
    });
    const said = machine.takeSaid();
    machine.takeOpened();
    if (!this.#isSame(found, machine.state)) return false;
    for (const { id } of this.#expectedOf(name, key, said, dueAt)) this.#early.add(id);
    this.#queue(name, entry);
    return true;
  }

  #surplus(found: State | undefined, { namedAfter }: AfterCommit): readonly EntryFault[] {
    if (found === undefined) return [];
    const returns = this.#kind.beginningOf(found) < namedAfter;
    const what = `the changelog holds ${this.#kind.named(found)}, which the input ${returns ? 'had ended before: it returns' : 'does not leave open'}`;
    return [{ rule: returns ? 'V11' : 'V5', what }];
  }

  #isSame(found: State | undefined, expected: State | undefined): boolean {
    if (found === undefined || expected === undefined) return found === expected;
    return this.#kind.differences(found, expected).length === 0;
  }

  #entryOf(name: string, key: Uint8Array): Entry<State, Said> {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const machine = this.#kind.machine(key, this.held);
    const entry: Entry<State, Said> = { key, machine, steps: new Steps(), stateBytes: 0, queuedAt: Infinity };
    this.#entries.set(name, entry);
    return entry;
  }

  /** Does what may begin or end a life, and weighs what lives. */
  #change(name: string, entry: Entry<State, Said>, how: () => void): void {
    const { machine } = entry;
    const lived = machine.state !== undefined;
    how();
    const { state } = machine;
    const lives = state !== undefined;
    const stateBytes = lives ? this.#kind.stateAtMost(state) : 0;
    this.#stateBytes += stateBytes - entry.stateBytes;
    this.#goneStateBytes += Math.max(0, entry.stateBytes - stateBytes);
    entry.stateBytes = stateBytes;
    if (lived === lives) return;
    const { entries, keyBytes } = this.#live;
    const sign = lives ? 1 : -1;
    const weight = weightOf(name);
    this.#live = { entries: entries + sign, keyBytes: keyBytes + sign * weight };
    if (lived) this.#gone = { entries: this.#gone.entries + 1, keyBytes: this.#gone.keyBytes + weight };
  }

  #queue(name: string, entry: Entry<State, Said>): void {
    const dueAt = entry.machine.dueAt();
    if (dueAt >= entry.queuedAt) return;
    entry.queuedAt = dueAt;
    this.#order.add(dueAt, name);
  }

  /** A key that has nothing and owes nothing is as one that never came. */
  #forget(name: string, { machine, steps }: Entry<State, Said>): void {
    if (machine.state === undefined && steps.size === 0) this.#entries.delete(name);
  }
}
