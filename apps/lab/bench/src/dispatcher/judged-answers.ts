// Answers about users, judged by the log: what an answer says has to be what the input below its position says, read here a second
// time, and by nothing of the product's. Pure.
//
// Owns: what the log has said of each user so far.
// Does not own: reading the log (whoever calls `see`, in offset order of each partition).
import type { Sent } from './user-messages.ts';

export interface Answer {
  readonly user: number;
  readonly partition: number;
  /** All of the input below it counts. */
  readonly position: number;
  /** undefined: the user has no session. */
  readonly said: Said | undefined;
  /** In the log before the question, and asked for as of now; undefined for an answer of a standby's, which says how old it is. */
  readonly after: Sent | undefined;
}

/** A user's session as it was answered. */
export interface Said {
  readonly events: number;
  readonly gateway: string;
  readonly login: string;
}

/** A record of the input as far as it matters here. */
export type Heard =
  | { readonly kind: 'login'; readonly user: number; readonly sent: Sent; readonly gateway: string }
  | { readonly kind: 'message'; readonly user: number; readonly sent: Sent }
  | { readonly kind: 'eviction'; readonly gateway: string };

export interface Judgement {
  /** The answer, and the log, of the first of them. */
  readonly wrong: readonly string[];
  readonly wrongCount: number;
  /** Acknowledged, and not in the log. */
  readonly lost: number;
  /** Sessions that evictions concern. */
  readonly evicted: number;
}

interface User {
  readonly partition: number;
  events: number;
  gateway: string;
  login: string;
  isLive: boolean;
  /** Messages that count in the session that lives; undefined of a user that no answer is about. */
  readonly seen: Set<string> | undefined;
  /** Messages in the log. */
  readonly landed: Set<string> | undefined;
}

const WRONG_SHOWN_MAX = 10;

export class AnswerJudge {
  readonly #users = new Map<number, User>();
  readonly #asked: ReadonlySet<number>;
  /** By partition, the first that is not judged yet. */
  readonly #waiting: readonly { readonly answers: readonly Answer[]; next: number }[];
  readonly #wrong: string[] = [];
  #wrongCount = 0;
  #evicted = 0;

  constructor(answers: readonly Answer[], partitions: number) {
    this.#asked = new Set(answers.map(({ user }) => user));
    this.#waiting = Array.from({ length: partitions }, (_, partition) => ({
      answers: answers.filter((each) => each.partition === partition).toSorted((a, b) => a.position - b.position),
      next: 0,
    }));
  }

  /** The next record of that partition. */
  see(partition: number, offset: number, heard: Heard): void {
    this.#judgeUpTo(partition, offset);
    if (heard.kind === 'eviction') {
      this.#evict(partition, heard.gateway);
      return;
    }
    const user = this.#of(heard.user, partition);
    const name = nameOf(heard.sent);
    user.landed?.add(name);
    if (user.seen?.has(name) === true) return;
    user.seen?.add(name);
    user.isLive = true;
    user.events += 1;
    if (heard.kind === 'login') Object.assign(user, { gateway: heard.gateway, login: String(heard.sent.login) });
  }

  /** All of the log has been seen. @param acknowledged told to be in it */
  finish(acknowledged: Iterable<readonly [user: number, sent: Sent]>): Judgement {
    for (const partition of this.#waiting.keys()) this.#judgeUpTo(partition, Infinity);
    let lost = 0;
    for (const [user, sent] of acknowledged) if (this.#users.get(user)?.landed?.has(nameOf(sent)) !== true) lost += 1;
    return { wrong: this.#wrong, wrongCount: this.#wrongCount, lost, evicted: this.#evicted };
  }

  #judgeUpTo(partition: number, offset: number): void {
    const waiting = this.#waiting[partition]!;
    for (let next = waiting.answers[waiting.next]; next !== undefined && next.position <= offset;) {
      this.#judge(next);
      waiting.next += 1;
      next = waiting.answers[waiting.next];
    }
  }

  #judge({ user: number, said, after, position }: Answer): void {
    const user = this.#users.get(number);
    const log = user?.isLive === true ? { events: user.events, gateway: user.gateway, login: user.login } : undefined;
    const isOld = after !== undefined && user?.landed?.has(nameOf(after)) !== true;
    const isSame = JSON.stringify(said, FIELDS) === JSON.stringify(log, FIELDS);
    if (isSame && !isOld) return;
    this.#wrongCount += 1;
    if (this.#wrong.length >= WRONG_SHOWN_MAX) return;
    const old = isOld ? `, and ${nameOf(after)}, which was in the log, lies not below it` : '';
    this.#wrong.push(
      `user ${number} as of ${position}: ${JSON.stringify(said)}, by the log ${JSON.stringify(log)}${old}`,
    );
  }

  #evict(partition: number, gateway: string): void {
    for (const user of this.#users.values()) {
      if (!user.isLive || user.gateway !== gateway || user.partition !== partition) continue;
      this.#evicted += 1;
      Object.assign(user, { isLive: false, events: 0, gateway: '', login: '' });
      user.seen?.clear();
    }
  }

  #of(number: number, partition: number): User {
    const known = this.#users.get(number);
    if (known !== undefined) return known;
    const isAsked = this.#asked.has(number);
    const names = (): Set<string> | undefined => (isAsked ? new Set() : undefined);
    const blank = { events: 0, gateway: '', login: '', isLive: false };
    const user: User = { partition, ...blank, seen: names(), landed: names() };
    this.#users.set(number, user);
    return user;
  }
}

const FIELDS: string[] = ['events', 'gateway', 'login'];

function nameOf({ login, sequence }: Sent): string {
  return `${login}/${sequence}`;
}
