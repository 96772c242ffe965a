// Leases of one pipeline, asked for and kept: requests go to its input, answers are followed on its output.
//
// Owns: the holders that live, or that something may yet be granted to.
// Does not own: what a holder believes (LeaseHolder), sending, the reader's connections.
import { type Clock, type DurationMs, messageOf, type Millis, Retriable } from '@flatline/base';
import { type KeyedRecord, RecordTooLarge } from '@flatline/kafka';
import { ENDED, REQUEST_ID_HEADER, TOKEN_HEADER } from '@flatline/ports/formats';
import { encodeRequest, type LeaseEventFormats } from '@flatline/records';
import type { LogReader } from '@flatline/ports';
import { withinDeadline } from '@flatline/system';
import { AnswerReader, type HeardEvent } from './answer-reader.ts';
import type { HeardLease } from './heard-lease.ts';
import { type LeaderOptions, type Leadership, leadWhileHeld } from './leadership.ts';
import type { Lease, LeaseWish, ResumeOptions, WatchOptions } from './lease.ts';
import { type LeaseAsk, LeaseHolder } from './lease-holder.ts';
import { LeaseNotGot, RUN_OUT, whyNotGot } from './lease-not-got.ts';
import { type LeaseStanding, LeaseWatch } from './lease-watch.ts';
import { NO_TOKEN, ResumedHolder } from './resumed-holder.ts';

const NOTHING = new Uint8Array(0);
const utf8 = new TextEncoder();

export interface LeasesParts {
  readonly clock: Clock;
  readonly clockSkewMs: DurationMs;
  readonly answerWithinMs: DurationMs;
  /** The input and the output topic, to be named. */
  readonly topic: string;
  readonly answers: string;
  /** As AcknowledgedWriter.write. */
  readonly write: (record: KeyedRecord) => Promise<Millis | undefined>;
  readonly newRequestId: () => string;
}

/** Times in a row that a lease may run out before it is held. */
const RUN_OUTS_MAX = 5;
/** Holders that are over and may yet be granted a lease, which they give back. The oldest is forgotten: its lease expires. */
const OWED_MAX = 10_000;
/** Leases that a message names. */
const NAMED_MAX = 3;

/** A start, or a token that is known. */
type Holder = LeaseHolder | ResumedHolder;

/** A caller that waits for a lease. */
interface Wanted {
  readonly id: string;
  readonly wish: Omit<LeaseWish, 'signal'>;
  /** True if the caller leads while the lease is held. */
  readonly isLed: boolean;
  readonly resolve: (lease: Lease) => void;
  readonly reject: (error: unknown) => void;
  /** The holder that asks for it now. */
  holder: Holder | undefined;
}

interface NotGot {
  readonly tooLarge: string | undefined;
  readonly refusal: HeardLease | undefined;
  readonly isResumed: boolean;
}

export class HeldLeases {
  readonly #parts: LeasesParts;
  /** By lease: an output speaks of all of them. */
  readonly #holders = new Map<string, Set<Holder>>();
  /** Those that are over, the oldest first. */
  readonly #owed = new Map<Holder, string>();
  /** By lease. */
  readonly #watches = new Map<string, Set<LeaseWatch>>();
  /** Holders of leases that an application leads by. */
  readonly #led = new Set<Holder>();
  /** Calls of `lead` that have not returned, each with the id of its lease. */
  readonly #leads = new Map<Promise<unknown>, string>();
  /** Aborted once nothing new may begin. */
  readonly #ending = new AbortController();
  /** Aborted once nothing more is heard. */
  readonly #closed = new AbortController();
  #answers: AnswerReader | undefined;
  #closing: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(parts: LeasesParts) {
    this.#parts = parts;
  }

  /** Resolves once it is held; rejects where it is refused, or not answered, naming the reason. */
  acquire(id: string, { signal, ...wish }: LeaseWish): Promise<Lease> {
    return this.#want(id, { wish, signal }, (wanted) => {
      this.#ask(wanted, 0);
    });
  }

  /** Leads while it is held (leadership.ts). */
  lead(id: string, lead: (leadership: Leadership) => unknown, options: LeaderOptions): Promise<void> {
    const acquire = (of: string, { signal, ...wish }: LeaseWish): Promise<Lease> =>
      this.#want(of, { wish, signal, isLed: true }, (wanted) => {
        this.#ask(wanted, 0);
      });
    const leading = leadWhileHeld(id, lead, options, {
      clock: this.#parts.clock,
      ending: this.#ending.signal,
      acquire,
    });
    const returned = leading.catch(() => undefined).finally(() => this.#leads.delete(returned));
    this.#leads.set(returned, id);
    return leading;
  }

  /** Resolves once a lease whose token is known is held on; rejects where it has ended, or nothing is answered. */
  resume(id: string, token: number, { signal }: ResumeOptions): Promise<Lease> {
    return this.#want(id, { wish: {}, signal }, (wanted) => {
      this.#resume(wanted, token);
    });
  }

  /** Yields the standing of a lease as known by now, and then each change. */
  async *watch(id: string, { signal }: WatchOptions): AsyncGenerator<LeaseStanding, void> {
    if (this.#failure !== undefined) throw this.#failure;
    const requestId = `watches/${this.#parts.newRequestId()}`;
    const watch = new LeaseWatch(requestId);
    const ending = AbortSignal.any([this.#ending.signal, ...(signal === undefined ? [] : [signal])]);
    const end = (): void => {
      watch.end();
    };
    if (ending.aborted) return;
    ending.addEventListener('abort', end, { once: true });
    const watches = this.#watches.get(id) ?? new Set<LeaseWatch>();
    this.#watches.set(id, watches.add(watch));
    const over = new AbortController();
    this.#question(id, requestId, watch, over.signal);
    try {
      yield* watch.standings();
    } finally {
      over.abort();
      ending.removeEventListener('abort', end);
      watches.delete(watch);
      if (watches.size === 0 && this.#watches.get(id) === watches) this.#watches.delete(id);
    }
  }

  /** A renewal by no lease's token is refused, with who holds the lease: it changes nothing (L3). */
  #question(id: string, requestId: string, watch: LeaseWatch, over: AbortSignal): void {
    const { clock, answerWithinMs } = this.#parts;
    const headers = new Map([
      [TOKEN_HEADER, String(NO_TOKEN)],
      [REQUEST_ID_HEADER, requestId],
    ]);
    const tooLarge = (error: Error): void => {
      watch.fail(error);
    };
    this.#orFail(this.#send(id, undefined, headers), tooLarge).then(
      () => {
        if (over.aborted) return;
        const cancel = clock.after(answerWithinMs, () => {
          watch.giveUp();
        });
        over.addEventListener('abort', cancel, { once: true });
      },
      () => undefined,
    );
  }

  #want(
    id: string,
    {
      wish,
      signal,
      isLed = false,
    }: Pick<Wanted, 'wish'> & { readonly signal: AbortSignal | undefined; isLed?: boolean },
    ask: (wanted: Wanted) => void,
  ): Promise<Lease> {
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const wanted: Wanted = { id, wish, isLed, resolve, reject, holder: undefined };
    const leave = (): void => {
      reject(signal!.reason);
      wanted.holder?.withdraw();
    };
    if (signal?.aborted === true) {
      leave();
      return promise;
    }
    if (this.#ending.signal.aborted) {
      reject(new Error(`the lease ${id} is not asked for: the leases are being closed`));
      return promise;
    }
    signal?.addEventListener('abort', leave, { once: true });
    ask(wanted);
    return promise.finally(() => {
      signal?.removeEventListener('abort', leave);
    });
  }

  #resume(wanted: Wanted, token: number): void {
    const { id, resolve, reject } = wanted;
    if (this.#failure !== undefined) {
      reject(this.#failure);
      return;
    }
    const { promise: over, resolve: end } = Promise.withResolvers<string>();
    let tooLarge: string | undefined;
    const holder: ResumedHolder = new ResumedHolder({
      ...this.#parts,
      token,
      name: this.#parts.newRequestId(),
      send: (value, headers) =>
        this.#orFail(this.#send(id, value, headers), ({ message }) => {
          tooLarge = message;
          holder.giveUp('TOO_LARGE');
        }),
      onHeld: () => {
        resolve(leaseOf(holder, over));
      },
      onOver: (reason, refusal) => {
        this.#remove(id, holder);
        end(reason);
        reject(this.#failure ?? this.#notGot(id, reason, { tooLarge, refusal, isResumed: true }));
      },
    });
    wanted.holder = holder;
    this.#add(id, holder);
  }

  #ask(wanted: Wanted, runOuts: number): void {
    const { id, wish, resolve, reject } = wanted;
    if (this.#failure !== undefined) {
      reject(this.#failure);
      return;
    }
    const { clock, clockSkewMs, answerWithinMs, newRequestId } = this.#parts;
    const { promise: over, resolve: end } = Promise.withResolvers<string>();
    let wasHeld = false;
    let tooLarge: string | undefined;
    const holder: LeaseHolder = new LeaseHolder({
      clock,
      clockSkewMs,
      requestId: newRequestId(),
      answerWithinMs,
      ask: wish,
      send: (value, headers) =>
        this.#orFail(this.#send(id, value, headers), ({ message }) => {
          tooLarge = message;
          holder.giveUp('TOO_LARGE');
        }),
      onHeld: () => {
        wasHeld = true;
        if (wanted.isLed) this.#led.add(holder);
        resolve(leaseOf(holder, over));
      },
      onOver: (reason, refusal) => {
        this.#led.delete(holder);
        this.#ended(id, holder);
        end(reason);
        if (wasHeld) return;
        // The answer of a processor that was down or behind: the lease has run out.
        if (RUN_OUT.includes(reason) && runOuts + 1 < RUN_OUTS_MAX) this.#ask(wanted, runOuts + 1);
        else reject(this.#failure ?? this.#notGot(id, reason, { tooLarge, refusal, isResumed: false }));
      },
    });
    wanted.holder = holder;
    this.#add(id, holder);
  }

  #add(id: string, holder: Holder): void {
    const holders = this.#holders.get(id) ?? new Set<Holder>();
    this.#holders.set(id, holders.add(holder));
  }

  #notGot(id: string, reason: string, { tooLarge, refusal, isResumed }: NotGot): LeaseNotGot {
    const words = tooLarge ?? whyNotGot(reason, { ...this.#parts, unread: this.#answers?.unread, isResumed });
    return new LeaseNotGot(id, reason, words, refusal);
  }

  /** It hears on while something may be granted to it. */
  #ended(id: string, holder: Holder): void {
    if (!holder.isOwed || this.#failure !== undefined) {
      this.#remove(id, holder);
      return;
    }
    this.#owed.set(holder, id);
    for (const [oldest, of] of this.#owed) {
      if (this.#owed.size <= OWED_MAX) break;
      this.#remove(of, oldest);
    }
  }

  #remove(id: string, holder: Holder): void {
    this.#owed.delete(holder);
    const holders = this.#holders.get(id);
    holders?.delete(holder);
    if (holders?.size === 0) this.#holders.delete(id);
  }

  /** Follows the answers until the subscriptions are closed. */
  follow(
    reader: LogReader,
    topic: string,
    starts: ReadonlyMap<number, number>,
    formats: Pick<LeaseEventFormats, 'readOrWhy'>,
  ): Promise<void> {
    this.#answers = new AnswerReader({
      clock: this.#parts.clock,
      formats,
      ending: this.#closed.signal,
      onHeard: (event) => {
        this.#heard(event);
      },
    });
    return this.#answers.follow(reader, topic, starts);
  }

  /**
   * Who leads is told, and keeps its lease until it has returned; all others are given back at once. Then `end` sends what waits,
   * and reads no more: also where that takes longer than `limitMs`.
   * @throws Retriable where it does: leases that are still led expire, since who leads may yet act
   */
  async close(limitMs: DurationMs, end: () => Promise<void>): Promise<void> {
    // Before those who lead are told, too: one may give back at once.
    this.#release((holder) => holder.isWaiting);
    this.#ending.abort();
    this.#release((holder) => !this.#led.has(holder));
    const ended = Promise.all(this.#leads.keys()).then(() => this.#end(end));
    // Heard of once the limit has passed, it would be a second reason.
    ended.catch(() => undefined);
    await withinDeadline(this.#parts.clock, limitMs, ended, () => {
      const late = [...new Set(this.#leads.values())];
      this.#end(end).catch(() => undefined);
      return new Retriable(notGivenBack(late, limitMs));
    });
  }

  #end(end: () => Promise<void>): Promise<void> {
    if (this.#closing === undefined) {
      this.#giveBackAll();
      this.#closed.abort();
      this.#closing = end();
    }
    return this.#closing;
  }

  /** But for what is led: who leads may yet act. */
  #giveBackAll(): void {
    for (const holder of [...this.#led]) holder.giveUp(ENDED);
    this.#release((holder) => holder.isWaiting);
    this.#release(() => true);
  }

  /** Those that wait go first: one that waits for a lease of this process would be granted it by the end of the other. */
  #release(isMeant: (holder: Holder) => boolean): void {
    for (const holder of this.#all().filter(isMeant)) holder.release();
  }

  /** Nothing is renewed any more, and everyone who waits is told why. The first reason counts. */
  fail(error: unknown): void {
    this.#failure ??= new Error(`leases cannot be kept: ${messageOf(error)}`, { cause: error });
    this.#giveBackAll();
    for (const watches of [...this.#watches.values()]) for (const watch of [...watches]) watch.fail(this.#failure);
  }

  #all(): readonly Holder[] {
    return [...this.#holders.values()].flatMap((holders) => [...holders]);
  }

  #send(
    id: string,
    value: LeaseAsk | null | undefined,
    headers: ReadonlyMap<string, string>,
  ): Promise<Millis | undefined> {
    const key = utf8.encode(id);
    const content = value === undefined ? NOTHING : value && encodeRequest(value);
    return this.#parts.write({
      key,
      value: content,
      headers: [...headers].map(([name, of]) => ({ name, value: utf8.encode(of) })),
    });
  }

  /** Where the producer has ended, or a partition takes nothing, leases are not kept. A record refused for its size is its own lease's. */
  async #orFail(
    sent: Promise<Millis | undefined>,
    onTooLarge: (error: RecordTooLarge) => void,
  ): Promise<Millis | undefined> {
    try {
      return await sent;
    } catch (error) {
      if (error instanceof RecordTooLarge) onTooLarge(error);
      else this.fail(error);
      throw error;
    }
  }

  #heard(event: HeardEvent): void {
    const { leaseId } = event;
    for (const watch of this.#watches.get(leaseId) ?? []) watch.hear(event);
    for (const holder of [...(this.#holders.get(leaseId) ?? [])]) {
      holder.hear(event);
      if (this.#owed.has(holder) && !holder.isOwed) this.#remove(leaseId, holder);
    }
  }
}

function notGivenBack(led: readonly string[], limitMs: DurationMs): string {
  if (led.length === 0) return `leases were not given back within ${limitMs} ms: they expire`;
  const others = led.length > NAMED_MAX ? ` and ${led.length - NAMED_MAX} more` : '';
  const leads = `what leads ${led.slice(0, NAMED_MAX).join(', ')}${others} has not returned within ${limitMs} ms`;
  return `${leads}: its lease is not given back, and expires`;
}

function leaseOf(holder: Holder, over: Promise<string>): Lease {
  return {
    get token() {
      return holder.token;
    },
    get isHeld() {
      return holder.isHeld;
    },
    over,
    release: () => {
      holder.release();
    },
  };
}
