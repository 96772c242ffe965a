// Hands the outputs of a pipeline to all who have subscribed, from one reading of the output topic (Q3).
//
// A subscriber begins at a vector: of each partition that it hears, an offset. What the window has from there on is given at once,
// the rest as it comes. One whose connection is full is given nothing until there is room, and then what the window has meanwhile;
// once that has gone on, it has lagged, and begins again with its cursor, here or elsewhere. So it costs the others nothing, and
// memory what its connection holds.
//
// Owns: subscribers; where each is.
// Does not own: outputs (OutputWindow), reading them (OutputTail), connections (Sink), where one begins (Joining).
//
// Invariants
//   HB1  Of the outputs that are asked for, from where a subscriber began, each is given once, in the order of its partition.
//   HB2  Each is given with the cursor behind it, and with what the subscriber has been given before.
//   HB3  What one subscriber cannot take keeps nothing from another.
import type { DurationMs } from '@flatline/base';
import { type CursorTopic, cursorText, type Vector } from './cursor.ts';
import { eventBytes, keepAliveBytes } from './event-text.ts';
import { type Output, outputJson } from './output.ts';
import { OutputWindow } from './output-window.ts';
import { isAskedFor, partitionOfQuestion, type Question } from './question.ts';
import type { Blocked, Sink, Start, Subscriber } from './subscriber.ts';
import { SubscriberIndex } from './subscriber-index.ts';

export interface HubParts {
  readonly topic: CursorTopic;
  /** Bytes of outputs that are kept. */
  readonly windowBytesMax: number;
  readonly nowMs: () => DurationMs;
  /** After so long without room, a subscriber has lagged. */
  readonly stalledMs: DurationMs;
}

export class Hub {
  readonly window: OutputWindow;
  readonly #parts: HubParts;
  readonly #index = new SubscriberIndex();
  /** The last cursors that were written out, which many share. */
  readonly #texts = new Map<number | undefined, string>();

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.window = new OutputWindow(parts.windowBytesMax);
  }

  /** True if any subscriber hears the partition. */
  hearsAny(partition: number): boolean {
    return this.#index.hearsAny(partition);
  }

  /** True if the window has all from there on. */
  reaches(vector: ReadonlyMap<number, number>): boolean {
    return [...vector].every(([partition, offset]) => (this.window.fromOf(partition) ?? Infinity) <= offset);
  }

  /** Gives what the window has from there on, and then all that comes. The window has to reach there. */
  attach(question: Question, sink: Sink, start: Start): Subscriber {
    const subscriber: Subscriber = { question, sink, blocked: undefined, seen: start };
    this.#index.add(subscriber);
    this.#catchUp(subscriber, this.window.first, new Map(start.vector));
    return subscriber;
  }

  detach(subscriber: Subscriber): void {
    this.#index.delete(subscriber);
  }

  /** An output has come. */
  output(output: Output): void {
    if (!this.window.add(output)) return;
    this.#texts.clear();
    let [json, forOne, forAll]: [string | undefined, Buffer | undefined, Buffer | undefined] = [
      undefined,
      undefined,
      undefined,
    ];
    this.#index.forEach(output, (subscriber) => {
      if (subscriber.blocked !== undefined) return;
      const isSeen = isBelow(subscriber, output);
      this.#forgetSeen(subscriber);
      if (isSeen) return;
      json ??= outputJson(output);
      const make = (): Buffer => eventBytes('output', json!, this.cursorOf(subscriber));
      // Whoever is up to date is where the window is, and gets the same bytes.
      if (subscriber.seen !== undefined) this.#send(subscriber, make());
      else if (subscriber.question.by === 'key') this.#send(subscriber, (forOne ??= make()));
      else this.#send(subscriber, (forAll ??= make()));
    });
  }

  /** All of the partition up to the offset has come. */
  advance(partition: number, offset: number): void {
    this.window.advance(partition, offset);
    this.#texts.clear();
  }

  /** Its connection has room again. */
  drained(subscriber: Subscriber): void {
    const { blocked } = subscriber;
    if (blocked === undefined || !this.#index.has(subscriber)) return;
    if (this.#hasLagged(blocked)) this.#lag(subscriber, blocked);
    else {
      subscriber.blocked = undefined;
      this.#catchUp(subscriber, blocked.from, blocked.vector);
    }
  }

  /** Sends keep-alives to one in `of` of the connections, in turn. Ends those that have lagged. */
  keepAlive(turn: number, of: number): void {
    const nowMs = this.#parts.nowMs();
    this.#index.turn(turn, of, (subscriber) => {
      const { blocked } = subscriber;
      if (blocked !== undefined) {
        if (this.#hasLagged(blocked) || nowMs - blocked.sinceMs >= this.#parts.stalledMs)
          this.#lag(subscriber, blocked);
        return;
      }
      this.#forgetSeen(subscriber);
      this.#send(subscriber, keepAliveBytes(this.cursorOf(subscriber)));
    });
  }

  /** The partition's log was lost to its reader: returns those who hear it, who are not subscribed any more. */
  close(partition: number): readonly Subscriber[] {
    this.window.close(partition);
    this.#texts.clear();
    const hearers = this.#index.hearersOf(partition);
    for (const subscriber of hearers) this.#index.delete(subscriber);
    return hearers;
  }

  #catchUp(subscriber: Subscriber, from: number, vector: Vector): void {
    const { question } = subscriber;
    for (let number = Math.max(from, this.window.first); number < this.window.end; number += 1) {
      // Most who come are up to date, or soon are: the rest of the window is not for them.
      if (number === from && this.#isUpToDate(vector)) break;
      const output = this.window.at(number);
      if (output.offset < (vector.get(output.partition) ?? Infinity)) continue;
      vector.set(output.partition, output.offset + 1);
      if (!isAskedFor(question, output) || isBelow(subscriber, output)) continue;
      const bytes = eventBytes('output', outputJson(output), this.#cursorAt(subscriber, vector));
      if (!this.#send(subscriber, bytes, { next: number + 1, vector })) return;
    }
    this.#forgetSeen(subscriber);
  }

  #isUpToDate(vector: ReadonlyMap<number, number>): boolean {
    for (const [partition, offset] of vector) if (offset < (this.window.nextOf(partition) ?? 0)) return false;
    return true;
  }

  /** `at`: its place afterwards. Default: the window's. */
  #send(subscriber: Subscriber, bytes: Buffer, at?: { readonly next: number; readonly vector: Vector }): boolean {
    if (subscriber.sink.send(bytes)) return true;
    const { next, vector } = at ?? { next: this.window.end, vector: this.#vectorOf(subscriber) };
    subscriber.blocked = { from: next, vector, sinceMs: this.#parts.nowMs() };
    return false;
  }

  #hasLagged({ from }: Blocked): boolean {
    return from < this.window.first;
  }

  #lag(subscriber: Subscriber, { vector }: Blocked): void {
    this.detach(subscriber);
    const cursor = this.#cursorAt(subscriber, vector);
    subscriber.sink.send(eventBytes('lagged', JSON.stringify({ cursor }), cursor));
    subscriber.sink.end();
  }

  /** Once all that a snapshot was made of has come to who is where the window is. */
  #forgetSeen(subscriber: Subscriber): void {
    const { seen } = subscriber;
    if (seen === undefined) return;
    for (const [partition, offset] of seen.until) if ((this.window.nextOf(partition) ?? 0) < offset) return;
    subscriber.seen = undefined;
  }

  /** Where it is; undefined: nothing may be resumed yet, since parts of its snapshot are newer than what has come. */
  cursorOf(subscriber: Subscriber): string | undefined {
    const { seen, blocked, question } = subscriber;
    if (blocked !== undefined) return this.#cursorAt(subscriber, blocked.vector);
    if (seen !== undefined) return this.#cursorAt(subscriber, this.#vectorOf(subscriber));
    const partition = partitionOfQuestion(question);
    const known = this.#texts.get(partition);
    if (known !== undefined) return known;
    const text = cursorText(this.#parts.topic, this.#vectorOf(subscriber), partition);
    this.#texts.set(partition, text);
    return text;
  }

  #cursorAt({ seen, question }: Subscriber, vector: ReadonlyMap<number, number>): string | undefined {
    const { topic } = this.#parts;
    const partition = partitionOfQuestion(question);
    if (seen === undefined) return cursorText(topic, vector, partition);
    // A snapshot may be ahead of what this instance has read.
    const ahead = new Map([...vector].map(([each, at]) => [each, Math.max(at, seen.vector.get(each) ?? 0)]));
    // An entry that was looked at later than its partition would be told twice to a reader that goes on from before it.
    if (seen.keys.size > 0 && !hasPassed(ahead, seen)) return undefined;
    return cursorText(topic, ahead, partition);
  }

  /** Where the window is. */
  #vectorOf({ question }: Subscriber): Vector {
    const partition = partitionOfQuestion(question);
    const { partitions } = this.#parts.topic;
    const all = partition === undefined ? Array.from({ length: partitions }, (_, each) => each) : [partition];
    return new Map(all.map((each) => [each, this.window.nextOf(each) ?? 0]));
  }
}

/** True if its snapshot was made of the output, too. */
function isBelow({ seen }: Subscriber, { partition, offset, key }: Output): boolean {
  if (seen === undefined) return false;
  return offset < (seen.vector.get(partition) ?? 0) || offset < (seen.keys.get(key) ?? 0);
}

function hasPassed(vector: ReadonlyMap<number, number>, { until }: Start): boolean {
  for (const [partition, offset] of until) if ((vector.get(partition) ?? 0) < offset) return false;
  return true;
}
