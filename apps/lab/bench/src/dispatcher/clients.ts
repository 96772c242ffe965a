// Users who send messages through a dispatcher and wait for its answer, each by the client's own rule (client-rule.ts).
//
// Owns: what each user has sent, which answers came and when.
// Does not own: whether an answer is true (judged-answers.ts, by the log).
import { type DurationMs, type Random, seededRandom } from '@flatline/base';
import type { DirectoryEntry } from '@flatline/client';
import { setTimeout as delay } from 'node:timers/promises';
import { stormKey } from '../storm/close-count.ts';
import { AGAIN_AFTER_MS, untilAnswered } from './client-rule.ts';
import { type DispatcherAtWork, isSaid, type Reply } from './dispatcher-at-work.ts';
import type { Answer, Said } from './judged-answers.ts';
import { firstGatewayOf, type Login, loginValue, messageValue, nextGateway, type Sent } from './user-messages.ts';

/** One message in so many comes behind the next one. */
const OUT_OF_ORDER = 30;
/** One turn in so many is a login from elsewhere. */
const LOGINS = 50;
/** Between two looks for messages that are due. */
const PACE_MS: DurationMs = 5;
/**
 * Users who wait for an answer at a time: beyond, no further one begins. Each is asked for again once a second, so many more would
 * keep two busy instances from answering any.
 */
const WAITING_MAX = 5_000;
/** Users who are asked for together, at the end. */
const LOOKED_UP = 1_000;
/** Kept to be judged. */
const ANSWERS_MAX = 2_000_000;

/** From when a message was due until its answer came. */
export interface Exchange {
  readonly partition: number;
  readonly sentAtMs: DurationMs;
  readonly answeredAtMs: DurationMs;
  readonly isMarked: boolean;
}

export interface Served {
  readonly answers: readonly Answer[];
  readonly exchanges: readonly Exchange[];
  /** Told to be in the log. */
  readonly acknowledged: readonly (readonly [user: number, sent: Sent])[];
  /** Messages sent again, logins from the beginning, and what a former login was told: that another has taken its place. */
  readonly again: number;
  readonly resets: number;
  readonly fenced: number;
  /** Too many waited. */
  readonly unsent: number;
}

interface Online {
  login: Login;
  next: number;
}

export class Clients {
  readonly #dispatcher: DispatcherAtWork;
  readonly #users: number;
  readonly #random: Random;
  readonly #online = new Map<number, Online>();
  readonly #busy = new Set<number>();
  readonly #turns = new Set<Promise<void>>();
  readonly #answers: Answer[] = [];
  readonly #exchanges: Exchange[] = [];
  readonly #acknowledged: (readonly [number, Sent])[] = [];
  readonly #count = { again: 0, resets: 0, fenced: 0, unsent: 0 };
  readonly #stop = new AbortController();
  readonly #sending: Promise<void>;
  #failure: unknown;

  /** Begins. */
  constructor(
    dispatcher: DispatcherAtWork,
    load: { readonly users: number; readonly perSecond: number; readonly seed: number },
  ) {
    this.#dispatcher = dispatcher;
    this.#users = load.users;
    this.#random = seededRandom(load.seed);
    this.#sending = this.#send(load.perSecond);
    this.#sending.catch(() => undefined);
  }

  /** Waits for all answers, and asks once more for everybody who has sent anything. @throws what has failed */
  async stop(): Promise<Served> {
    this.#stop.abort();
    await this.#sending;
    await Promise.all(this.#turns);
    if (this.#failure !== undefined) throw this.#failure as Error;
    const users = [...this.#online.keys()];
    for (let from = 0; from < users.length; from += LOOKED_UP) await this.#look(users.slice(from, from + LOOKED_UP));
    const { again, resets, fenced, unsent } = this.#count;
    const [answers, exchanges, acknowledged] = [this.#answers, this.#exchanges, this.#acknowledged];
    return { answers, exchanges, acknowledged, again, resets, fenced, unsent };
  }

  async #send(perSecond: number): Promise<void> {
    const startedAt = performance.now();
    for (let begun = 0; !this.#stop.signal.aborted;) {
      const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000);
      for (; begun < due; begun += 1) {
        const user = this.#random.below(this.#users);
        if (this.#busy.has(user)) continue;
        if (this.#busy.size >= WAITING_MAX) this.#count.unsent += 1;
        else this.#begin(user);
      }
      await delay(PACE_MS);
    }
  }

  #begin(user: number): void {
    this.#busy.add(user);
    const turn = this.#turn(user)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#busy.delete(user);
        this.#turns.delete(turn);
      });
    this.#turns.add(turn);
  }

  async #turn(user: number): Promise<void> {
    const online = this.#of(user);
    if (this.#random.below(LOGINS) === 0) {
      const former = online.login.number;
      const sequence = online.next;
      await this.#login(user, performance.now());
      // Whoever is still there by the former login is told with his next answer.
      const told = await this.#exchange(user, { login: former, sequence }, performance.now());
      if (told !== undefined && told.login !== String(former)) this.#count.fenced += 1;
      return;
    }
    const first = online.next;
    const inOrder = this.#random.below(OUT_OF_ORDER) === 0 ? [first + 1, first] : [first];
    online.next += inOrder.length;
    const { number: login } = online.login;
    const sentAtMs = performance.now();
    const all = await Promise.all(inOrder.map((sequence) => this.#exchange(user, { login, sequence }, sentAtMs)));
    // His session is gone with its gateway: he comes by another one.
    if (all.some((said) => said === undefined || said.gateway === '')) await this.#login(user, sentAtMs);
  }

  async #login(user: number, sentAtMs: DurationMs): Promise<void> {
    const online = this.#of(user);
    const { number, gateway } = online.login;
    online.login = { number: number + 1, gateway: nextGateway(gateway, this.#random) };
    online.next = 1;
    await this.#exchange(user, { login: online.login.number, sequence: 0 }, sentAtMs);
  }

  /** Reads the answer; undefined: there is no session, or there was none, and he begins from the beginning. */
  async #exchange(user: number, sent: Sent, sentAtMs: DurationMs): Promise<Said | undefined> {
    const key = stormKey(user);
    const { login } = this.#of(user);
    const value = sent.sequence === 0 ? loginValue(login) : messageValue(sent);
    const reply = await untilAnswered(async (tries) => {
      if (tries > 1) this.#count.again += 1;
      const signal = AbortSignal.timeout(AGAIN_AFTER_MS);
      await this.#dispatcher.write(key, value);
      if (tries === 1) this.#acknowledged.push([user, sent]);
      return this.#dispatcher.answer(key, signal);
    });
    if (reply !== undefined) return this.#note({ user, sent, sentAtMs, reply });
    this.#count.resets += 1;
    return undefined;
  }

  #note(got: { user: number; sent: Sent; sentAtMs: DurationMs; reply: Reply }): Said | undefined {
    const { user, sent, sentAtMs, reply } = got;
    const { entry, isProven } = reply;
    const { partition } = entry;
    const isMarked = entry.from === 'standby';
    this.#exchanges.push({ partition, sentAtMs, answeredAtMs: performance.now(), isMarked });
    return this.#keep(user, entry, isProven ? sent : undefined);
  }

  #keep(user: number, entry: DirectoryEntry, after: Sent | undefined): Said | undefined {
    if (this.#answers.length >= ANSWERS_MAX) throw new Error(`more than ${ANSWERS_MAX} answers: ask for less`);
    const said = entry.state === 'live' ? saidBy(entry) : undefined;
    this.#answers.push({ user, partition: entry.partition, position: entry.asOf!.position, said, after });
    return said;
  }

  /** The last word about each. */
  async #look(users: readonly number[]): Promise<void> {
    for (let left = users; left.length > 0;) {
      const keys = left.map(stormKey);
      const entries = await this.#dispatcher.directory.getAll(keys, { proof: 'now' });
      for (const [i, entry] of entries.entries()) {
        if (!isSaid(entry)) continue;
        const { login, next } = this.#of(left[i]!);
        this.#keep(left[i]!, entry, { login: login.number, sequence: next - 1 });
      }
      left = left.filter((_, i) => !isSaid(entries[i]!));
    }
  }

  #of(user: number): Online {
    const known = this.#online.get(user);
    if (known !== undefined) return known;
    const online = { login: { number: 0, gateway: firstGatewayOf(user) }, next: 1 };
    this.#online.set(user, online);
    return online;
  }
}

function saidBy({ eventCount, attributes }: DirectoryEntry): Said {
  const { gateway = '', login = '' } = attributes as Readonly<Record<string, string>>;
  return { events: eventCount as number, gateway, login };
}
