// Subscribers by what they ask for: an output finds those whom it concerns, whatever their number.
import type { Output } from './output.ts';
import type { Subscriber } from './subscriber.ts';

export class SubscriberIndex {
  readonly #all = new Set<Subscriber>();
  readonly #byKey = new Map<string, Set<Subscriber>>();
  /** By length of the prefix, then by the prefix: an output is looked up once for each length. */
  readonly #byPrefix = new Map<number, Map<string, Set<Subscriber>>>();
  /** Subscribers still to come in a round of `turn`. */
  #round: readonly Subscriber[] = [];

  has(subscriber: Subscriber): boolean {
    return this.#all.has(subscriber);
  }

  add(subscriber: Subscriber): void {
    this.#all.add(subscriber);
    const { question } = subscriber;
    const group = this.#groupOf(question);
    const among = group.get(question.text) ?? new Set();
    group.set(question.text, among);
    among.add(subscriber);
  }

  /** False if it was not there. */
  delete(subscriber: Subscriber): boolean {
    if (!this.#all.delete(subscriber)) return false;
    const { question } = subscriber;
    const group = this.#groupOf(question);
    const among = group.get(question.text)!;
    among.delete(subscriber);
    if (among.size > 0) return true;
    group.delete(question.text);
    if (question.by === 'prefix' && group.size === 0) this.#byPrefix.delete(question.text.length);
    return true;
  }

  forEach({ key, partition }: Output, give: (subscriber: Subscriber) => void): void {
    for (const each of this.#byKey.get(key) ?? []) if (hears(each, partition)) give(each);
    for (const [length, group] of this.#byPrefix) {
      if (length > key.length) continue;
      for (const each of group.get(key.slice(0, length)) ?? []) give(each);
    }
  }

  hearersOf(partition: number): readonly Subscriber[] {
    return [...this.#all].filter((each) => hears(each, partition));
  }

  hearsAny(partition: number): boolean {
    for (const each of this.#all) if (hears(each, partition)) return true;
    return false;
  }

  /** Each of them comes once in every `of` turns, counted from 0. */
  turn(turn: number, of: number, take: (subscriber: Subscriber) => void): void {
    const at = turn % of;
    if (at === 0) this.#round = [...this.#all];
    for (let i = at; i < this.#round.length; i += of) {
      const subscriber = this.#round[i]!;
      if (this.#all.has(subscriber)) take(subscriber);
    }
  }

  #groupOf({ by, text }: Subscriber['question']): Map<string, Set<Subscriber>> {
    if (by === 'key') return this.#byKey;
    const group = this.#byPrefix.get(text.length) ?? new Map<string, Set<Subscriber>>();
    this.#byPrefix.set(text.length, group);
    return group;
  }
}

function hears({ question }: Subscriber, partition: number): boolean {
  return question.by === 'prefix' || question.partition === partition;
}
