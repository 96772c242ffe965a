// Leases of one pipeline, asked for and kept: requests go to its input, answers are followed on its output.
//
// Owns: the holders that live.
// Does not own: what a holder believes (LeaseHolder), sending, the reader's connections.
import { type Clock, type DurationMs, messageOf, type Millis } from '@flatline/base';
import { type KeyedRecord, RecordTooLarge } from '@flatline/kafka';
import { encodeRequest, type LeaseEventFormats } from '@flatline/records';
import type { LogReader, LogSubscription } from '@flatline/ports';
import { type LeaseAsk, LeaseHolder } from './lease-holder.ts';

const NOTHING = new Uint8Array(0);
const utf8 = new TextEncoder();

export interface LeaseWish {
  /** What silence ends the lease. In milliseconds; default: the pipeline's. */
  readonly timeoutMs?: DurationMs;
  /** How long to wait in the pipeline's queue. In milliseconds; default: as long as that allows. */
  readonly waitMs?: DurationMs;
  /** Shown to those who are refused. Default: none. */
  readonly attributes?: ReadonlyMap<string, string>;
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
  /** As AcknowledgedWriter.write. */
  readonly write: (record: KeyedRecord) => Promise<Millis | undefined>;
  readonly newRequestId: () => string;
}

/** A start that is not answered is sent again after so long. */
const ASK_AGAIN_MS: DurationMs = 2_000;

/** Reasons for which a lease is over that was never held, and may be had by asking again. */
const RUN_OUT: readonly string[] = ['TOO_LATE', 'TIMEOUT'];

export class HeldLeases {
  readonly #parts: LeasesParts;
  /** By lease: an output speaks of all of them. */
  readonly #holders = new Map<string, Set<LeaseHolder>>();
  #failure: Error | undefined;

  constructor(parts: LeasesParts) {
    this.#parts = parts;
  }

  /** Resolves once it is held; rejects where it is refused, naming the reason. */
  acquire(id: string, wish: LeaseWish): Promise<Lease> {
    return new Promise((resolve, reject) => {
      this.#ask(id, wish, resolve, reject);
    });
  }

  #ask(id: string, wish: LeaseWish, resolve: (lease: Lease) => void, reject: (error: Error) => void): void {
    if (this.#failure !== undefined) {
      reject(this.#failure);
      return;
    }
    const { clock, clockSkewMs, newRequestId } = this.#parts;
    const { promise: over, resolve: end } = Promise.withResolvers<string>();
    let wasHeld = false;
    const holder: LeaseHolder = new LeaseHolder({
      clock,
      clockSkewMs,
      requestId: newRequestId(),
      askAgainMs: ASK_AGAIN_MS,
      ask: wish,
      send: (value, headers) =>
        this.#orFail(this.#send(id, value, headers), ({ message: reason }) => {
          holder.giveUp(reason);
        }),
      onHeld: () => {
        wasHeld = true;
        resolve(leaseOf(holder, over));
      },
      onOver: (reason) => {
        this.#remove(id, holder);
        end(reason);
        if (wasHeld) return;
        // The answer of a processor that was down or behind: the lease has run out.
        if (RUN_OUT.includes(reason)) this.#ask(id, wish, resolve, reject);
        else reject(this.#failure ?? new Error(`the lease ${id} was not got: ${reason}`));
      },
    });
    const holders = this.#holders.get(id) ?? new Set<LeaseHolder>();
    this.#holders.set(id, holders.add(holder));
  }

  #remove(id: string, holder: LeaseHolder): void {
    const holders = this.#holders.get(id);
    holders?.delete(holder);
    if (holders?.size === 0) this.#holders.delete(id);
  }

  /** Follows the answers until the subscriptions are closed. */
  async follow(
    reader: LogReader,
    topic: string,
    starts: ReadonlyMap<number, number>,
    formats: LeaseEventFormats,
  ): Promise<void> {
    await Promise.all(
      [...starts].map(([partition, offset]) =>
        this.#followOne(reader.subscribe({ topic, partition }, offset), formats),
      ),
    );
  }

  /** Gives back what is held. */
  releaseAll(): void {
    for (const holders of [...this.#holders.values()]) for (const holder of [...holders]) holder.release();
  }

  /** Nothing is renewed any more, and everyone who waits is told why. The first reason counts. */
  fail(error: unknown): void {
    this.#failure ??= new Error(`leases cannot be kept: ${messageOf(error)}`, { cause: error });
    this.releaseAll();
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

  async #followOne(subscription: LogSubscription, formats: LeaseEventFormats): Promise<void> {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        subscription.onChange(resolve);
      });
      for (let run = subscription.take(); run !== undefined; run = subscription.take()) {
        const { cursor } = run;
        while (cursor.next()) {
          if (cursor.valueLength <= 0) continue;
          const event = await formats.read(
            cursor.bytes.slice(cursor.valueStart, cursor.valueStart + cursor.valueLength),
          );
          if (event !== undefined) this.#heard(event);
        }
      }
      if (subscription.failure !== undefined) throw subscription.failure;
      await changed;
    }
  }

  #heard(event: Parameters<LeaseHolder['hear']>[0] & { readonly leaseId: string }): void {
    for (const holder of [...(this.#holders.get(event.leaseId) ?? [])]) holder.hear(event);
  }
}

function leaseOf(holder: LeaseHolder, over: Promise<string>): Lease {
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
