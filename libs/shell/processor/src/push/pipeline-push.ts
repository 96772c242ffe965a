// Subscriptions to one pipeline, served by this process (Q3): one reading of its output, all who hear it, and how each begins.
//
// A snapshot is of a commit, and names where the outputs behind that commit begin; from there on a subscriber is as one that
// resumes with its cursor. So there is one way in: from a vector, by the window, or by a reading of one's own up to it.
//
// Owns: when outputs are read.
// Does not own: who hears what (Hub), the readings (OutputTail).
import type { Clock, DurationMs } from '@flatline/base';
import { messageOf } from '@flatline/base';
import type { LogReader } from '@flatline/ports';
import type { RuntimeLog } from '@flatline/runtime';
import { pause } from '@flatline/system';
import type { PageSource } from '../directory/paging.ts';
import { catchUp } from './catch-up.ts';
import type { CursorTopic } from './cursor.ts';
import { eventBytes, keepAliveBytes } from './event-text.ts';
import { HttpSink, STALLED_MS } from './http-sink.ts';
import { Hub } from './hub.ts';
import { OutputTail, type OutputEnds } from './output-tail.ts';
import { partitionOfQuestion, type Question } from './question.ts';
import { sendSnapshot } from './snapshot.ts';
import { type Start, startAt, type Subscriber } from './subscriber.ts';

export interface PipelinePushParts {
  readonly pipeline: string;
  readonly outputTopic: string;
  readonly topic: CursorTopic;
  readonly reader: Pick<LogReader, 'subscribe'>;
  readonly ends: OutputEnds['ends'];
  readonly source: PageSource;
  readonly clock: Clock;
  readonly log: RuntimeLog;
  readonly turns: (turn: () => void) => void;
  /** A partition cannot be followed from where it was: the topic may be another one. */
  readonly onLost: () => void;
}

/** Outputs that are kept for those who come back, and for those who are slow. */
const WINDOW_BYTES_MAX = 4 * 1024 * 1024;
/** Readings of one's own that are under way. */
const CATCH_UPS_MAX = 8;
const RETRY_MS: DurationMs = 1_000;

export class PipelinePush {
  readonly hub: Hub;
  readonly #parts: PipelinePushParts;
  readonly #tail: OutputTail;
  /** Readers that are not subscribed yet, while what they need is read. */
  readonly #joining = new Map<HttpSink, Question>();
  readonly #catchUps: (() => void)[] = [];
  #catchingUp = 0;
  #isClosed = false;
  readonly #sinks = new Set<HttpSink>();

  constructor(parts: PipelinePushParts) {
    const { outputTopic, topic, reader, ends, clock, log, turns, onLost } = parts;
    this.#parts = parts;
    this.hub = new Hub({
      topic,
      windowBytesMax: WINDOW_BYTES_MAX,
      nowMs: () => clock.monotonicMs(),
      stalledMs: STALLED_MS,
    });
    const { window } = this.hub;
    this.#tail = new OutputTail({
      topic: outputTopic,
      reader,
      ends,
      clock,
      log,
      turns,
      onOpen: (partition, offset) => {
        window.open(partition, offset);
      },
      onOutput: (output) => {
        this.hub.output(output);
      },
      onRead: (partition, offset) => {
        this.hub.advance(partition, offset);
      },
      onLost: (partition, why) => {
        onLost();
        for (const subscriber of this.hub.close(partition)) void this.#beginAgain(subscriber, why);
      },
    });
  }

  get size(): number {
    return this.#sinks.size;
  }

  get topic(): CursorTopic {
    return this.#parts.topic;
  }

  /** `vector`: where it goes on; in words, why it cannot; undefined: it has just come. Resolves once it is subscribed, or gone. */
  async subscribe(question: Question, sink: HttpSink, vector: Map<number, number> | string | undefined): Promise<void> {
    this.#sinks.add(sink);
    this.#joining.set(sink, question);
    sink.onClosed = () => {
      this.#gone(sink);
    };
    let start: Start | undefined;
    if (typeof vector === 'string') await this.#sayGap(sink, vector);
    else if (vector !== undefined) start = startAt(vector);
    while (!sink.isClosed && !this.#isClosed) {
      try {
        if (await this.#begin(question, sink, start)) return;
        start = undefined;
      } catch (error) {
        const { log, pipeline, clock } = this.#parts;
        log.warn('a subscription begins later', { pipeline, why: messageOf(error) });
        await pause(clock, RETRY_MS);
      }
    }
    this.#gone(sink);
  }

  /** Called every second: sends keep-alives, and stops reading partitions that are no longer heard. */
  tick(turn: number, of: number): void {
    this.hub.keepAlive(turn, of);
    // Readers that wait for their turn, or for old outputs, are kept meanwhile.
    if (turn % of === 0) for (const sink of this.#joining.keys()) sink.send(keepAliveBytes(undefined));
    for (const partition of this.#tail.partitions) {
      if (this.hub.hearsAny(partition) || this.#isWanted(partition)) continue;
      this.#tail.release(partition);
      this.hub.window.close(partition);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#tail.close();
    for (const sink of [...this.#sinks]) sink.end();
  }

  #isWanted(partition: number): boolean {
    for (const question of this.#joining.values())
      if ((partitionOfQuestion(question) ?? partition) === partition) return true;
    return false;
  }

  /** False: a new snapshot is needed. `from`: where it goes on; undefined: it gets a snapshot. */
  async #begin(question: Question, sink: HttpSink, from: Start | undefined): Promise<boolean> {
    const { pipeline, topic, source, clock } = this.#parts;
    await this.#open(question, from);
    const start = from ?? (await sendSnapshot({ pipeline, topic, source, clock }, question, sink));
    if (start === undefined) return true;
    while (!this.hub.reaches(start.vector)) {
      await this.#open(question, start);
      const outcome = this.hub.reaches(start.vector) ? 'caughtUp' : await this.#catchUp(question, sink, start);
      if (outcome === 'over') return true;
      if (outcome === 'caughtUp') continue;
      await this.#sayGap(sink, 'outputs behind the cursor are not kept any more');
      return false;
    }
    if (sink.isClosed) return true;
    this.#joining.delete(sink);
    const subscriber = this.hub.attach(question, sink, start);
    sink.onRoom = () => {
      this.hub.drained(subscriber);
    };
    sink.onClosed = () => {
      this.hub.detach(subscriber);
      this.#gone(sink);
    };
    return true;
  }

  async #open(question: Question, start: Start | undefined): Promise<void> {
    const only = partitionOfQuestion(question);
    const all = only === undefined ? Array.from({ length: this.#parts.topic.partitions }, (_, each) => each) : [only];
    await Promise.all(all.map((partition) => this.#tail.open(partition, start?.vector.get(partition))));
  }

  async #catchUp(question: Question, sink: HttpSink, start: Start): Promise<Awaited<ReturnType<typeof catchUp>>> {
    const { outputTopic, topic, reader } = this.#parts;
    if (this.#catchingUp >= CATCH_UPS_MAX) await new Promise<void>((resolve) => this.#catchUps.push(resolve));
    else this.#catchingUp += 1;
    try {
      const { window } = this.hub;
      return await catchUp({ topicName: outputTopic, topic, reader, window }, question, sink, start);
    } finally {
      const next = this.#catchUps.shift();
      if (next === undefined) this.#catchingUp -= 1;
      else next();
    }
  }

  async #sayGap(sink: HttpSink, why: string): Promise<void> {
    await sink.sent(eventBytes('gap', JSON.stringify({ why })));
  }

  async #beginAgain({ question, sink }: Subscriber, why: string): Promise<void> {
    if (!(sink instanceof HttpSink) || !this.#sinks.has(sink)) return;
    await pause(this.#parts.clock, RETRY_MS);
    await this.subscribe(question, sink, why);
  }

  #gone(sink: HttpSink): void {
    this.#sinks.delete(sink);
    this.#joining.delete(sink);
  }
}
