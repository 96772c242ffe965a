// Folds the entries of any kind with the machines of its rules: told of records and instants, it returns the effects.
//
// Owns: when a machine advances, and the steps that the changelog has not shown yet.
// Does not own: the rules of a kind (its machine), records still to be said (Unsaid).
//
// Invariants
//   EF1  Whatever is due takes effect here at the first clock that reaches it, instant by instant, whenever the processor does it.
//   EF2  Since a key's last record its state in the changelog is the machine's at that record, or after some of the due instants
//        since: its `steps`. The key's next record is behind all of them (S3).
import type { Millis } from '@flatline/base';
import type { AskedEviction, SaidEviction } from '../logs/evictions.ts';
import { textOf } from '../logs/byte-names.ts';
import type { LoggedImage } from '../logs/changelog-fold.ts';
import type { CommonRules, OutputRecord } from '../logs/history.ts';
import { isBehind, type Positions } from '../logs/places.ts';
import { EntryComparison } from './entry-comparison.ts';
import type { EntryRules } from './entry-rules.ts';
import { type Entry, EntryTable } from './entry-table.ts';
import { expectedRecords } from './expected-records.ts';
import { type FoldCounts, InputFold, type Keyed, type Weight, weightOf } from './input-fold.ts';
import type { AfterCommit, EntryFault, ExpectedRecord, KindEntries, LaterState } from './reading.ts';
import type { Step } from './steps.ts';
import { Unsaid } from './unsaid.ts';

/** Told of what becomes of entries, where more is made of it than records of their own. */
export interface FoldWatcher<State, Said> {
  /** A record is about to be applied, the clock is its, and all that is due has taken effect. */
  readonly passed: (clock: Millis, clockAtLeast: Millis) => void;
  /** A record has been applied to a key. */
  readonly took: (before: State | undefined, after: State | undefined, said: readonly Said[]) => void;
  /** A due instant has taken effect. Returns what takes it back. */
  readonly lapsed: (said: readonly Said[]) => () => void;
}

export interface EntriesFoldParts<State, Said> {
  readonly rules: CommonRules;
  readonly counts: FoldCounts;
  readonly kind: EntryRules<State, Said>;
  /** Told what each machine says as it says it, for callers that have all of an input. */
  readonly onSaid?: (key: Uint8Array, said: readonly Said[]) => void;
  readonly watcher?: FoldWatcher<State, Said> | undefined;
}

export class EntriesFold<State, Said> extends InputFold implements KindEntries {
  readonly #kind: EntryRules<State, Said>;
  readonly #onSaid: (key: Uint8Array, said: readonly Said[]) => void;
  readonly #watcher: FoldWatcher<State, Said> | undefined;
  /** True if a record that is being applied has moved the clock. */
  #isTaking = false;
  readonly #table: EntryTable<State, Said>;
  readonly #comparison: EntryComparison<State, Said>;
  readonly #unsaid = new Unsaid();
  onHeard: (key: Uint8Array) => void = () => undefined;
  /** Number of steps of all entries. */
  #stepCount = 0;
  /** Evictions, in order: at least those since the first step that there is. */
  #evictions: SaidEviction[] = [];

  readonly #shown = {
    read: (logged: LoggedImage): State | undefined => this.#kind.stateIn(logged),
    isSame: (found: State | undefined, before: State | undefined): boolean => this.#comparison.goesOn(found, before),
  };

  constructor({ rules, counts, kind, onSaid = () => undefined, watcher }: EntriesFoldParts<State, Said>) {
    super(rules, counts, kind);
    this.#kind = kind;
    this.#watcher = watcher;
    this.#onSaid = onSaid;
    this.#table = new EntryTable(kind, this.held);
    this.#comparison = new EntryComparison(kind, this.#table);
  }

  get size(): number {
    return this.#table.size;
  }

  get begun(): number {
    const kind = this.#kind;
    if (kind.isBegun === undefined) return this.size;
    let waiting = 0;
    for (const { machine } of this.#table.all())
      if (machine.state !== undefined && !kind.isBegun(machine.state)) waiting += 1;
    return this.size - waiting;
  }

  get remembered(): number {
    return this.#table.size + this.#unsaid.size + this.#stepCount;
  }

  names(): Iterable<string> {
    return this.#table.names();
  }

  takeOver(images: ReadonlyMap<string, LoggedImage>, clock: Millis, evictions: readonly SaidEviction[] = []): void {
    this.#evictions = [...evictions];
    this.clock = clock;
    for (const [name, image] of images) {
      const entry = this.#table.entryOf(name, image.key);
      this.#table.change(entry, () => {
        entry.machine.state = this.#kind.stateIn(image);
      });
      this.#evictAgain(entry);
      this.#table.queue(entry);
      if (this.#kind.owedFrom?.(image) !== undefined) this.#unsaid.owesFromBefore(name);
      this.#table.forget(entry);
    }
    this.moved();
  }

  rulesChanged(): void {
    for (const entry of this.#table.all()) {
      if (this.#takeBack(entry)) this.#evictAgain(entry);
      // By the new rules it may be due sooner.
      this.#catchUp(entry);
    }
  }

  compare(name: string, logged: LoggedImage | undefined, after: AfterCommit): readonly EntryFault[] {
    const entry = this.#table.get(name);
    const found = this.#comparison.shownUpTo(entry, logged, after, this.clock);
    if (typeof found === 'number' && entry !== undefined) this.#pass(entry, found);
    const owed = this.#unsaid.noteOwed(name, logged && this.#kind.owedFrom?.(logged));
    return [...(typeof found === 'number' ? [] : [found]), ...(owed === undefined ? [] : [{ rule: 'V5', what: owed }])];
  }

  takeExpected(): ExpectedRecord[] {
    this.#table.committed();
    return this.#unsaid.takeExpected();
  }

  takeEarly(): ReadonlySet<string> {
    return this.#comparison.takeEarly();
  }

  hasSaid(name: string, id: string, logged: LoggedImage | undefined): boolean {
    const owed = logged && this.#kind.owedFrom?.(logged);
    if (this.#unsaid.has(name, id)) return owed === undefined || !this.#unsaid.isUpTo(name, owed, id);
    const steps = this.#table.get(name)?.steps;
    const place = steps?.placeOf(id) ?? -1;
    if (steps === undefined || place < 0) return false;
    if (logged === undefined) return true;
    if (owed !== undefined && (this.#unsaid.has(name, owed) || steps.isUpTo(owed, id))) return false;
    return !steps.isShownBefore(place, logged, this.#shown);
  }

  takeSaid(name: string, id: string): ReturnType<KindEntries['takeSaid']> {
    const entry = this.#table.get(name);
    if (entry !== undefined) this.#pass(entry, entry.steps.placeOf(id) + 1);
    return this.#unsaid.take(name, id);
  }

  forgetUnsaid(most: number, state: LaterState): readonly ExpectedRecord[] {
    const surplus = this.#unsaid.size + this.#stepCount - most;
    const gone = this.#unsaid.takeStanding(surplus, state);
    for (const entry of this.#table.all()) {
      const { name, machine, steps } = entry;
      const isOver = machine.state === undefined && !state.has(name);
      const end = steps.standingEnd(surplus - gone.length, isOver, (id) => state.stands(name, id));
      for (const { expected } of this.#takeSteps(entry, end)) gone.push(...expected);
    }
    return gone;
  }

  lapseAll(): void {
    for (const entry of this.#table.all()) this.#pass(entry, entry.steps.end);
    this.#unsaid.owesNothing();
  }

  *lives(): Iterable<{ readonly text: string; readonly dueAt: Millis; readonly state: State }> {
    for (const { key, machine } of this.#table.all())
      if (machine.state !== undefined) yield { text: textOf(key), dueAt: machine.dueAt(), state: machine.state };
  }

  /** Lets the next due instant of each key take effect, however far off it is. */
  endLives(): void {
    for (const entry of this.#table.all()) {
      const dueAt = entry.machine.dueAt();
      if (dueAt < Infinity) this.#step(entry, dueAt, dueAt);
    }
  }

  overdue(): readonly { readonly text: string; readonly what: string }[] {
    const owed = this.#unsaid.all().map(({ text, why }) => ({ text, what: `${why} is owed and has not been said` }));
    const due = [...this.#table.all()]
      .filter(({ steps }) => steps.size > 0)
      .map(({ key, steps }) => {
        const { before: state, dueAt, expected } = steps.at(steps.first)!;
        const why = expected.map((each) => each.why).join(', ');
        return { text: textOf(key), what: this.#kind.faults.overdue({ state, dueAt, clock: this.clock }, why) };
      });
    return [...owed, ...due];
  }

  mayComeLater(name: string, id: string, record: OutputRecord, positions: Positions): boolean {
    const { latestOffsetOf, instantOf } = this.#kind;
    if (isBehind(latestOffsetOf(record), positions)) return true;
    if (this.#unsaid.has(name, id)) return true;
    const entry = this.#table.get(name);
    if (entry === undefined) return false;
    if (entry.steps.placeOf(id) >= 0) return true;
    return entry.machine.state !== undefined && ((instantOf(record) ?? 0) > this.clock || this.#comesNext(entry, id));
  }

  /** A run's record names its instant without the jitter, which only its schedule tells. */
  #comesNext(entry: Entry<State, Said>, id: string): boolean {
    const { machine } = entry;
    const { state } = machine;
    const dueAt = machine.dueAt();
    if (dueAt === Infinity) return false;
    machine.due(dueAt);
    machine.state = state;
    machine.takeCounted();
    return expectedRecords(this.#kind, entry, machine.takeSaid(), dueAt).some((each) => each.id === id);
  }

  whyEarly(name: string, record: OutputRecord): string | undefined {
    const { clock } = this;
    if (this.#kind.whyEarly !== undefined) {
      const life = this.#lifeIn(this.#table.get(name));
      return life && this.#kind.whyEarly(record, { ...life, clock });
    }
    const instant = this.#kind.instantOf(record);
    if (instant === undefined || instant <= clock) return undefined;
    return `it says ${instant}, and the clock of this commit is ${clock}`;
  }

  /** The key's life in the changelog, as of the commits seen. */
  #lifeIn(entry: Entry<State, Said> | undefined): { readonly state: State; readonly dueAt: Millis } | undefined {
    const step = entry?.steps.at(entry.steps.first);
    const state = step === undefined ? entry?.machine.state : step.before;
    return state && entry && { state, dueAt: step?.dueAt ?? entry.machine.dueAt() };
  }

  protected override moved(): void {
    for (let due = this.#table.takeDue(this.clock); due !== undefined; due = this.#table.takeDue(this.clock))
      this.#catchUp(due);
    if (this.#isTaking) this.#watcher?.passed(this.clock, this.clockAtLeast);
  }

  override record(...of: Parameters<InputFold['record']>): void {
    this.#isTaking = true;
    super.record(...of);
    this.#isTaking = false;
  }

  protected override living(): Weight {
    return this.#table.live;
  }

  protected override letGo(): Weight {
    return this.#table.gone;
  }

  protected override statesAtMost(): number {
    return this.#table.stateBytes + this.#table.goneStateBytes;
  }

  protected override keyed(keyed: Keyed): void {
    const { name, key, record, saysStateFull = false } = keyed;
    const entry = this.#table.entryOf(name, key);
    // Not forgotten: the record may begin its next life.
    this.#show(entry, entry.steps.end);
    const before = entry.machine.state;
    const hasNoRoom = saysStateFull && this.#kind.needsRoom(record, before, this.clock);
    const isTaken = record.isRefused !== true && !hasNoRoom && this.#take(entry, keyed);
    if (!isTaken) this.refuse(record);
    const isOfLife = isTaken && (before ?? entry.machine.state) !== undefined;
    if (isOfLife || this.#kind.isOneLife !== true) this.onHeard(key);
    // If its producer stamped it in the past, it may be due at once.
    this.#catchUp(entry);
  }

  protected override evicted(asked: AskedEviction): boolean {
    if (this.#kind.isEvictable !== true) return false;
    if (this.#stepCount === 0) this.#evictions = [];
    const eviction = { ...asked, at: this.clock, atLeast: this.clockAtLeast };
    this.#evictions.push(eviction);
    for (const entry of [...this.#table.all()]) {
      this.#evict(entry, eviction);
      this.#table.queue(entry);
    }
    return true;
  }

  /** The evictions since its last record, of which none has taken effect; by other rules it may have ended before. */
  #evictAgain(entry: Entry<State, Said>): void {
    for (const eviction of this.#evictions) {
      for (let dueAt = entry.machine.dueAt(); dueAt <= eviction.at; dueAt = entry.machine.dueAt())
        this.#step(entry, dueAt, this.clock);
      this.#evict(entry, eviction);
    }
  }

  #evict(entry: Entry<State, Said>, eviction: SaidEviction): void {
    const { machine } = entry;
    if (machine.isConcerned?.(eviction) !== true) return;
    this.#lapse(entry, eviction.at, () => machine.evict?.(eviction));
  }

  #take(entry: Entry<State, Said>, keyed: Keyed): boolean {
    const { clock, clockAtLeast } = this;
    const { record, effectiveAt } = keyed;
    const { machine } = entry;
    const before = machine.state;
    const isTaken = machine.take(record, { clock, clockAtLeast, effectiveAt, offset: record.offset });
    const stateBytes = this.#table.bytesOf(entry);
    if (!isTaken || !this.#hasRoom(entry, before, stateBytes, keyed)) {
      if (isTaken) machine.state = before;
      machine.takeSaid();
      machine.takeCounted();
      return false;
    }
    this.#table.weigh(entry, before !== undefined, stateBytes);
    const said = machine.takeSaid();
    this.#watcher?.took(before, machine.state, said);
    for (const each of this.#expected(entry, said, undefined)) this.#unsaid.add(each);
    return true;
  }

  /** I7, once the record is applied and not yet weighed. An entry that lived before, and needs no more now, has room. */
  #hasRoom(
    { name, machine, stateBytes: bytesBefore }: Entry<State, Said>,
    before: State | undefined,
    stateBytes: number,
    { record, isFull, saysStateFull }: Keyed,
  ): boolean {
    const lives = machine.state !== undefined;
    const opens = before === undefined && (lives || this.#kind.passesThrough?.(record) === true);
    if (opens && isFull()) return false;
    if (saysStateFull !== undefined || !this.weighsExactly || !lives) return true;
    // A longer number alone needs no room.
    if (!opens && (stateBytes <= bytesBefore || !this.#kind.needsRoom(record, before, this.clock))) return true;
    const added = opens ? { entries: 1, keyBytes: weightOf(name) } : { entries: 0, keyBytes: 0 };
    return this.hasRoomFor(added, this.#table.stateBytes + stateBytes - bytesBefore);
  }

  /** Takes what its machine has counted, and returns the records that the output must have of what it has said. */
  #expected(entry: Entry<State, Said>, said: readonly Said[], dueAt: Millis | undefined): readonly ExpectedRecord[] {
    const { opened, duplicates } = entry.machine.takeCounted();
    this.counts.opened += opened;
    this.counts.duplicates += duplicates;
    if (said.length === 0) return [];
    this.#onSaid(entry.key, said);
    return expectedRecords(this.#kind, entry, said, dueAt);
  }

  /** Lets everything due at the clock take effect, instant by instant. */
  #catchUp(entry: Entry<State, Said>): void {
    const { machine } = entry;
    let dueAt = machine.dueAt();
    for (; dueAt <= this.clock; dueAt = machine.dueAt()) this.#step(entry, dueAt, this.clock);
    this.#table.queue(entry, dueAt);
    this.#table.forget(entry);
  }

  /** Lets the instant `dueAt` take effect, at the first clock that has reached it. */
  #step(entry: Entry<State, Said>, dueAt: Millis, clock: Millis): void {
    this.#lapse(entry, dueAt, () => {
      entry.machine.due(clock);
    });
  }

  #lapse(entry: Entry<State, Said>, dueAt: Millis, how: () => void): void {
    const { machine } = entry;
    const before = machine.state;
    const { opened: openedBefore } = this.counts;
    this.dues += 1;
    this.#table.change(entry, how);
    const said = machine.takeSaid();
    const takeBack = this.#watcher?.lapsed(said);
    const expected = this.#expected(entry, said, dueAt);
    this.#stepCount += 1;
    this.#table.addStep(entry, { before, dueAt, opened: this.counts.opened - openedBefore, expected, takeBack });
  }

  /** Undoes its steps: they have not taken effect. False: there are none. */
  #takeBack(entry: Entry<State, Said>): boolean {
    const first = entry.steps.at(entry.steps.first);
    if (first === undefined) return false;
    for (const { opened, takeBack } of entry.steps.all()) {
      this.counts.opened -= opened;
      takeBack?.();
    }
    this.#stepCount -= entry.steps.size;
    entry.steps.takeUpTo(entry.steps.end);
    this.#table.change(entry, () => {
      entry.machine.state = first.before;
    });
    return true;
  }

  /** To be called when the changelog shows its steps before the place `end`, or may have. */
  #pass(entry: Entry<State, Said>, end: number): void {
    this.#show(entry, end);
    this.#table.forget(entry);
  }

  #show(entry: Entry<State, Said>, end: number): void {
    for (const { expected } of entry.steps.takeUpTo(end)) {
      this.#stepCount -= 1;
      for (const each of expected) this.#unsaid.add(each);
    }
  }

  #takeSteps(entry: Entry<State, Said>, end: number): readonly Step<State>[] {
    const taken = entry.steps.takeUpTo(end);
    this.#stepCount -= taken.length;
    this.#table.forget(entry);
    return taken;
  }
}
