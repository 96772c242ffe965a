// Leases of one pipeline, asked for and kept: requests go to its input, answers are followed on its output.
//
// Owns: the holders that live, or that something may yet be granted to.
// Does not own: what a holder believes (LeaseHolder), sending, the reader's connections.
import { type Clock, type DurationMs, messageOf, type Millis } from '@flatline/base';
import { type KeyedRecord, RecordTooLarge } from '@flatline/kafka';
import { REQUEST_ID_HEADER, TOKEN_HEADER } from '@flatline/ports/formats';
import { encodeRequest, type LeaseEventFormats } from '@flatline/records';
import type { LogReader } from '@flatline/ports';
import { AnswerReader, type HeardEvent } from './answer-reader.ts';
import type { HeardLease } from './heard-lease.ts';
import { type LeaseAsk, LeaseHolder } from './lease-holder.ts';
import { LeaseNotGot, RUN_OUT, whyNotGot } from './lease-not-got.ts';
import { type LeaseStanding, LeaseWatch } from './lease-watch.ts';
import { NO_TOKEN, ResumedHolder } from './resumed-holder.ts';

const NOTHING = new Uint8Array(0);
const utf8 = new TextEncoder();

export interface LeaseWish {
  /** What silence ends the lease. In milliseconds; default: the pipeline's. */
  readonly timeoutMs?: DurationMs;
  /** How long to wait in the pipeline's queue. In milliseconds; default: as long as that allows. */
  readonly waitMs?: DurationMs;
  /** Shown to those who are refused: a Map or a plain object. Default: none. */
  readonly attributes?: ReadonlyMap<string, string> | Readonly<Record<string, string>>;
  /** Ends the waiting: the call rejects with its reason, and what is granted all the same is given back. Default: none. */
  readonly signal?: AbortSignal;
}

export interface WatchOptions {
  /** Ends the iteration. Default: none. */
  readonly signal?: AbortSignal;
}

export interface ResumeOptions {
  /** Ends the waiting: the call rejects with its reason. Default: none. */
  readonly signal?: AbortSignal;
}

/** A lease that is held until it is over. */
export interface Lease {
  /** To be sent along with every write to what is protected, which refuses those with a lower one. */
  readonly token: number;
  /** To be asked before each act where what is protected cannot compare tokens. */
  readonly isHeld: boolean;
  /** Resolves once it is over, with the reason: before the log ends it, unless this process did not run. */
  readonly over: Promise<string>;
  /** Gives it back. */
  release(): void;
}

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

/** How many times in a row a lease may run out before it is held. */
const RUN_OUTS_MAX = 5;
/** Holders that are over and may yet be granted a lease, which they give back. The oldest is forgotten: its lease expires. */
const OWED_MAX = 10_000;

/** A start, or a token that is known. */
type Holder = LeaseHolder | ResumedHolder;

/** Who waits for a lease. */
interface Wanted {
  readonly id: string;
  readonly wish: Omit<LeaseWish, 'signal'>;
  readonly resolve: (lease: Lease) => void;
  readonly reject: (error: unknown) => void;
  /** Who asks for it now. */
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
  readonly #ending = new AbortController();
  readonly #closed = new AbortController();
  #answers: AnswerReader | undefined;
  #failure: Error | undefined;

  constructor(parts: LeasesParts) {
    this.#parts = parts;
  }

  /** Resolves once it is held; rejects where it is refused, or not answered, naming the reason. */
  acquire(id: string, { signal, ...wish }: LeaseWish): Promise<Lease> {
    return this.#want(id, wish, signal, (wanted) => {
      this.#ask(wanted, 0);
    });
  }

  /** Resolves once a lease whose token is known is held on; rejects where it has ended, or nothing is answered. */
  resume(id: string, token: number, { signal }: ResumeOptions): Promise<Lease> {
    return this.#want(id, {}, signal, (wanted) => {
      this.#resume(wanted, token);
    });
  }

  /** Aborted when they close. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Who holds a lease: what is known by now, and then each change. */
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
    wish: Wanted['wish'],
    signal: AbortSignal | undefined,
    ask: (wanted: Wanted) => void,
  ): Promise<Lease> {
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const wanted: Wanted = { id, wish, resolve, reject, holder: undefined };
    const leave = (): void => {
      reject(signal!.reason);
      wanted.holder?.withdraw();
    };
    if (signal?.aborted === true) {
      leave();
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
        resolve(leaseOf(holder, over));
      },
      onOver: (reason, refusal) => {
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

  /** Gives back what is held. */
  releaseAll(): void {
    for (const holders of [...this.#holders.values()]) for (const holder of [...holders]) holder.release();
  }

  /** The same, and nothing more is read. */
  close(): void {
    this.releaseAll();
    this.#ending.abort();
    this.#closed.abort();
  }

  /** Nothing is renewed any more, and everyone who waits is told why. The first reason counts. */
  fail(error: unknown): void {
    this.#failure ??= new Error(`leases cannot be kept: ${messageOf(error)}`, { cause: error });
    this.releaseAll();
    for (const watches of [...this.#watches.values()]) for (const watch of [...watches]) watch.fail(this.#failure);
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
