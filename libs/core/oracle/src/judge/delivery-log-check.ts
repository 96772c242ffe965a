// Checks the deliveries of one partition by the logs alone (V10): what the notifier has kept, let go and given up, against the outputs.
//
// An output delivered at its first attempt leaves no record, and what a site has heard lies on no topic: neither is decided here.
//
// Owns: what is kept, as of the record that is looked at.
// Does not own: the rules of attempts, breakers and reasons, what outputs are sent as.
//
// Invariants
//   DC1  Memory is what is kept at one time, without bodies.
import type { DurationMs, Millis } from '@flatline/base';
import type { Place } from './place.ts';
import { textOf } from '../logs/byte-names.ts';
import { attemptFaults, type Fault, GONE, historyFaults, waitFaults } from '../rules/deliveries/attempts-kept.ts';
import { LoggedBreakers } from '../rules/deliveries/breakers-logged.ts';
import type { DeliveryHistory, NotifierPosition, WholeRecord } from '../logs/history.ts';
import { GivenUpLog, type LoggedGivenUp, reasonFaults } from '../rules/deliveries/given-up-log.ts';
import {
  deliveryIn,
  headerOf,
  keyTextOf,
  type LoggedDelivery,
  objectIn,
  printOf,
  writtenIn,
  type WrittenRecord,
} from '../rules/deliveries/logged-delivery.ts';
import { otherThanSent, type SendingWords } from '../rules/deliveries/sent-output.ts';

export interface DeliveryLogParts {
  readonly partition: number;
  readonly history: DeliveryHistory;
  /** How outputs of its kind are read. */
  readonly words: SendingWords;
  readonly place: (topic: string) => Place;
  readonly reach: { deliveriesKept: number; deliveriesGivenUp: number };
}

interface Kept {
  readonly said: LoggedDelivery;
  readonly print: string;
  readonly writer: string | undefined;
  readonly offset: number;
  readonly strandedSince: Millis | undefined;
  /** Attempts from before it was begun again: whoever had one under way goes on from those. */
  readonly formerly: Attempts | undefined;
}

type Attempts = LoggedDelivery['attempts'];

const MINUTE_MS = 60_000;
const LATELY_MAX = 10_000;
/** A breaker is kept again long after it was disabled, and clocks of notifier and brokers differ by less. */
const DISABLED_LATELY_MS: DurationMs = 86_400_000;

export class DeliveryLogCheck {
  readonly #parts: DeliveryLogParts;
  readonly #place: Place;
  readonly #kept = new Map<string, Kept>();
  readonly #keptOf = new Map<string, number>();
  readonly #breakers: LoggedBreakers;
  readonly #givenUp: GivenUpLog;
  readonly #isWhole: boolean;
  /** Endpoints that a 410 has disabled, until what it was said of is given up. */
  readonly #goneOf = new Map<string, number>();
  /** Attempts of those let go of last: what had come out before that is kept once more. */
  readonly #lately = new Map<string, Attempts>();
  #hasForgotten = false;
  /** Records written before may concern outputs that are gone from another log. */
  #judgedFrom: Millis = -Infinity;
  #highest = -1;

  constructor(parts: DeliveryLogParts) {
    const { history, place } = parts;
    const { kept, undeliverable, application } = history;
    this.#parts = parts;
    this.#place = place(kept.topic);
    this.#isWhole = kept.logStart === 0;
    this.#breakers = new LoggedBreakers(this.#isWhole);
    this.#givenUp = new GivenUpLog(writtenIn(undeliverable, application));
  }

  async run(): Promise<void> {
    const { kept, application } = this.#parts.history;
    let isFirst = true;
    for await (const written of writtenIn(kept, application)) {
      if (isFirst && !this.#isWhole) await this.#beginAt(written.record.timestamp + MINUTE_MS);
      isFirst = false;
      // Without a key it is a clock record (C2).
      if (written.record.key !== null) await this.#take(written);
    }
    // The records that let go of those given up are gone with all others.
    if (isFirst && !this.#isWhole) await this.#beginAt(Infinity);
    for (let left = await this.#nextGivenUp(); left !== undefined; left = await this.#nextGivenUp())
      this.#notLetGo(left);
    this.#checkGone();
    await this.#checkDue();
    this.#checkPositions();
  }

  async #take(written: WrittenRecord): Promise<void> {
    const { record } = written;
    const name = keyTextOf(record);
    // An endpoint's name has no stroke.
    const isBreaker = !name.includes('/');
    if (record.value === null && isBreaker) this.#breaker(name, undefined, record);
    else if (record.value === null) await this.#letGo(name, written);
    else if (headerOf(record, 'flatline-command') !== undefined) return;
    else if (headerOf(record, 'notifier-command') === 'enable') this.#breakers.enabled(textOf(record.value));
    else if (isBreaker) this.#breaker(name, objectIn(headerOf(record, 'breaker')) ?? {}, record);
    else await this.#keep(name, written);
  }

  #breaker(
    endpoint: string,
    fields: Readonly<Record<string, unknown>> | undefined,
    { offset, timestamp }: WholeRecord,
  ): void {
    const wasDisabled = this.#breakers.isKnownDisabled(endpoint);
    for (const fault of this.#breakers.take(endpoint, fields, offset)) this.#fault(fault, offset, endpoint);
    if (fields?.['why'] !== 'gone' || wasDisabled || timestamp <= this.#judgedFrom) return;
    // Where the record that disabled it is gone, this may be one that keeps it again.
    if (timestamp - Number(fields['since']) > DISABLED_LATELY_MS) return;
    if (offset < this.#parts.history.keptDecidedBelow) this.#goneOf.set(endpoint, offset);
  }

  async #keep(name: string, { record, writer }: WrittenRecord): Promise<void> {
    const { offset, timestamp, value } = record;
    const said = deliveryIn(record);
    if (said === undefined || name !== `${said.endpoint}/${said.id}`) {
      this.#fault({ rule: 'N3', what: 'is no delivery of that name' }, offset, name);
      return;
    }
    const former = this.#kept.get(name);
    if (former === undefined) this.#parts.reach.deliveriesKept += 1;
    const print = printOf(value);
    for (const fault of this.#keepFaults(record, said, former, writer)) this.#fault(fault, offset, name);
    if (former === undefined) await this.#compare(said, value ?? undefined, offset);
    else if (!isSameSubject(said, former.said) || print !== former.print)
      this.#fault({ rule: 'V10', what: 'has another body, key or output than before' }, offset, name);
    this.#highest = Math.max(this.#highest, said.order);
    const strandedSince = said.strandedAt === undefined ? undefined : (former?.strandedSince ?? timestamp);
    // A second replay comes of one that had none yet.
    const hasBegunAgain = isBegunAgain(said, former, writer) && former!.said.attempts.length > 0;
    const formerly = hasBegunAgain ? former!.said.attempts : former?.formerly;
    this.#kept.set(name, { said, print, writer, offset, strandedSince, formerly });
    if (former === undefined) this.#count(said.endpoint, 1);
  }

  #keepFaults(
    record: WholeRecord,
    said: LoggedDelivery,
    former: Kept | undefined,
    writer: string | undefined,
  ): Fault[] {
    const { attempts, endpoint, phase } = said;
    const lately = this.#lately.get(`${endpoint}/${said.id}`);
    const before = formerOf(attempts, former) ?? lately ?? [];
    const isKnown = former !== undefined || (this.#isWhole && !this.#hasForgotten && lately === undefined);
    const hasFailed = attempts.length > before.length;
    const found = [
      ...attemptFaults(attempts, this.#parts.history.webhooks.has(endpoint)),
      ...(isBegunAgain(said, former, writer) || !isKnown ? [] : historyFaults(attempts, before)),
    ];
    if (attempts.some(({ status }) => status === GONE))
      found.push({ rule: 'N2', what: `waits, and its endpoint wants nothing more: it answered ${GONE}` });
    if (!isKnown || !hasFailed) return found;
    if (this.#breakers.isKnownDisabled(endpoint))
      found.push({ rule: 'N2', what: 'was attempted, and is kept, while its endpoint is disabled' });
    const delayMs = Number(headerOf(record, 'flatline-delay-ms'));
    if (phase === 'waiting') found.push(...waitFaults(said, delayMs, record.timestamp));
    return found;
  }

  /** It is delivered, given up, or another has taken its place. */
  async #letGo(name: string, { record, writer }: WrittenRecord): Promise<void> {
    const kept = this.#kept.get(name);
    if (kept !== undefined) this.#forget(name, kept);
    for (let next = await this.#nextGivenUp(); next !== undefined; next = await this.#nextGivenUp()) {
      if (
        next.name === name &&
        next.writer === writer &&
        this.#mayBeTogether(next.record, record) &&
        isAfter(next.said.attempts, formerOf(next.said.attempts, kept))
      ) {
        this.#givenUp.take();
        await this.#judgeGivenUp(next, kept, record.offset);
        return;
      }
      // Who has written it has written its last, and never let it go.
      if (!this.#isOver(next, writer)) return;
      this.#notLetGo(next);
    }
  }

  /** False: no transaction lasts as long as from one to the other, so it was sent again in between. */
  #mayBeTogether(a: WholeRecord, b: WholeRecord): boolean {
    const isByBroker = a.logAppendTime && b.logAppendTime;
    return !isByBroker || Math.abs(a.timestamp - b.timestamp) <= this.#parts.history.transactionMs;
  }

  #forget(name: string, { said }: Kept): void {
    this.#kept.delete(name);
    this.#count(said.endpoint, -1);
    this.#lately.delete(name);
    this.#lately.set(name, said.attempts);
    if (this.#lately.size <= LATELY_MAX) return;
    this.#hasForgotten = true;
    for (const oldest of this.#lately.keys()) {
      this.#lately.delete(oldest);
      return;
    }
  }

  async #judgeGivenUp(found: LoggedGivenUp, kept: Kept | undefined, offset: number): Promise<void> {
    const { name, said, record } = found;
    const { endpoint, attempts, order } = said;
    this.#parts.reach.deliveriesGivenUp += 1;
    this.#highest = Math.max(this.#highest, order);
    const keptOfEndpoint = this.#isWhole ? (this.#keptOf.get(endpoint) ?? 0) : undefined;
    const isTooLarge = headerOf(record, 'reason') === 'too-large';
    const faults = [
      ...attemptFaults(attempts, this.#parts.history.webhooks.has(endpoint)),
      ...(kept === undefined && !this.#isWhole ? [] : historyFaults(attempts, formerOf(attempts, kept) ?? [])),
      ...reasonFaults(found, { breakers: this.#breakers, keptOfEndpoint, strandedSince: kept?.strandedSince }),
    ];
    for (const fault of faults) this.#fault(fault, offset, name);
    if (headerOf(record, 'reason') === 'gone') this.#goneOf.delete(endpoint);
    if (kept === undefined) await this.#compare(said, isTooLarge ? undefined : (record.value ?? undefined), offset);
    else if (!isSameSubject(said, kept.said) || printOf(record.value) !== kept.print)
      this.#fault(
        { rule: 'V10', what: 'is given up with another body, key or output than it was kept with' },
        offset,
        name,
      );
  }

  async #compare(said: LoggedDelivery, body: Uint8Array | undefined, offset: number): Promise<void> {
    const { history, words, partition } = this.#parts;
    const { pipeline, outputAt, outputStart } = history;
    const output = said.order < outputStart ? undefined : await outputAt(said.order);
    if (output === undefined && said.order < outputStart) {
      this.#place.undecided('whether deliveries say what their outputs said: those are gone');
      return;
    }
    const fault =
      output === undefined
        ? `there is no committed output at offset ${said.order}`
        : otherThanSent(said, body, output, { pipeline, partition, words });
    if (fault !== undefined) this.#fault({ rule: 'V10', what: fault }, offset, `${said.endpoint}/${said.id}`);
  }

  /** Each delivery that came out and was taken is kept again or let go of. */
  async #checkDue(): Promise<void> {
    const { due, dueRuns, application } = this.#parts.history;
    const { before = 0 } = dueRuns;
    for await (const { record } of writtenIn(due, application)) {
      if (record.offset >= before) return;
      const name = keyTextOf(record);
      const keptAt = this.#kept.get(name)?.offset ?? this.#breakers.keptAt(name);
      const madeAt = headerOf(record, 'flatline-schedule');
      if (record.value === null || keptAt === undefined || madeAt !== `${this.#place.partition}-${keptAt}`) continue;
      const what = `has come out at offset ${record.offset} of ${due.topic}, was taken there, and nothing has kept it since or let it go`;
      this.#fault({ rule: 'N3', what }, keptAt, name);
    }
  }

  #checkPositions(): void {
    const { outputs, dueRuns } = this.#parts.history;
    for (const [words, { behind, before = -1, end }] of [
      ['outputs', outputs],
      ['what is due', dueRuns],
    ] as const satisfies readonly (readonly [string, NotifierPosition])[])
      if (Math.max(before, behind ?? -1) > end)
        this.#place.violation('N3', {
          what: `the notifier has taken ${words} up to offset ${Math.max(before, behind ?? -1)}, and they end at ${end}`,
        });
    const { behind = 0 } = outputs;
    if (this.#highest >= behind)
      this.#place.undecided(
        `the output at offset ${this.#highest} is taken again: the notifier's position, ${behind}, is no later, as it was put back or forgotten`,
      );
  }

  /** A breaker by 410 comes with what was given up for it. */
  #checkGone(): void {
    const { undeliverable, isUndeliverableCompacted } = this.#parts.history;
    if (undeliverable.logStart > 0 || this.#goneOf.size === 0) return;
    if (isUndeliverableCompacted) {
      this.#parts
        .place(undeliverable.topic)
        .undecided(`whether something is given up for each endpoint that ${GONE} has disabled: the topic is compacted`);
      return;
    }
    for (const [endpoint, offset] of this.#goneOf)
      this.#fault({ rule: 'N2', what: `was disabled by ${GONE}, and nothing is given up for it` }, offset, endpoint);
  }

  #notLetGo({ record, name }: LoggedGivenUp): void {
    this.#givenUp.take();
    const { undeliverable } = this.#parts.history;
    this.#parts.place(undeliverable.topic).violation('N3', {
      offset: record.offset,
      key: name,
      what: 'is given up, and the same transaction has not let it go',
    });
  }

  /** True if the writer of it writes no more: another has followed. */
  #isOver({ writer }: LoggedGivenUp, current: string | undefined): boolean {
    if (writer === undefined || current === undefined) return false;
    const [producer, epoch] = writer.split(':');
    const [other, later] = current.split(':');
    return producer === other && Number(epoch) < Number(later);
  }

  async #beginAt(judgedFrom: Millis): Promise<void> {
    this.#judgedFrom = judgedFrom;
    for (let next = await this.#nextGivenUp(); next !== undefined; next = await this.#nextGivenUp()) {
      if (next.record.timestamp > judgedFrom) return;
      this.#givenUp.take();
    }
  }

  #nextGivenUp(): Promise<LoggedGivenUp | undefined> {
    return this.#givenUp.next(({ record }) => {
      this.#parts.place(this.#parts.history.undeliverable.topic).violation('N3', {
        offset: record.offset,
        what: 'is neither what was given up nor the mark of a replay',
      });
    });
  }

  #count(endpoint: string, by: number): void {
    this.#keptOf.set(endpoint, (this.#keptOf.get(endpoint) ?? 0) + by);
  }

  #fault({ rule, what }: Fault, offset: number, key: string): void {
    this.#place.violation(rule, { offset, key, what });
  }
}

/** By a replay, or by who finds its position put back. */
function isBegunAgain({ attempts }: LoggedDelivery, former: Kept | undefined, writer: string | undefined): boolean {
  return attempts.length === 0 && former !== undefined && former.writer !== writer;
}

/** Attempts that these follow; undefined: it was not kept. */
function formerOf(attempts: Attempts, kept: Kept | undefined): Attempts | undefined {
  const { formerly = [] } = kept ?? {};
  return formerly.length > 0 && historyFaults(attempts, formerly).length === 0 ? formerly : kept?.said.attempts;
}

function isSameSubject(a: LoggedDelivery, b: LoggedDelivery): boolean {
  return a.key === b.key && a.order === b.order && a.type === b.type;
}

/** A delivery that was sent again in between has other attempts. */
function isAfter(attempts: Attempts, former: Attempts = []): boolean {
  const [first] = former;
  return first === undefined || attempts.length === 0 || attempts[0]!.at === first.at;
}
