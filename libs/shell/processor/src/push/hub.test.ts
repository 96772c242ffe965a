// Subscribers of two hubs that read the same outputs at their own pace, against a naive list: connections fill and drain, end in the
// middle of what was sent, and go on with the last id that arrived, at either hub.
import { describe, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { cursorText, readCursor, type Vector } from './cursor.ts';
import { Hub } from './hub.ts';
import { outputJson, type Output } from './output.ts';
import { isAskedFor, keyQuestion, partitionOfQuestion, prefixQuestion, type Question } from './question.ts';
import { type Sink, type Start, startAt, type Subscriber } from './subscriber.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 60);
const SEED = Number(process.env['SEED'] ?? 1);
const PARTITIONS = 3;
const TOPIC = { topicId: '0123456789abcdef0123456789abcdef', partitions: PARTITIONS };
const STALLED_MS = 50;

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** A key's partition, in this test. */
const partitionOf = (key: string): number => key.charCodeAt(1) % PARTITIONS;

class TestSink implements Sink {
  /** Events that the reader has taken, and those on the way. */
  readonly taken: string[] = [];
  readonly waiting: string[] = [];
  hasEnded = false;
  room: number;

  constructor(room: number) {
    this.room = room;
  }

  send(bytes: Buffer): boolean {
    this.waiting.push(bytes.toString());
    return this.waiting.length < this.room;
  }

  end(): void {
    this.hasEnded = true;
  }

  take(count: number): void {
    this.taken.push(...this.waiting.splice(0, count));
  }
}

interface Heard {
  readonly place: string;
}

/** A client over all of its connections. */
class Client {
  readonly question: Question;
  readonly start: Start;
  readonly heard: Heard[] = [];
  lagged = 0;
  lastId: string | undefined;
  sink = new TestSink(Infinity);
  subscriber: Subscriber | undefined;
  hub = 0;

  constructor(question: Question, start: Start) {
    this.question = question;
    this.start = start;
  }

  /** Events that arrive on the connection. */
  receive(): void {
    for (const block of this.sink.taken.splice(0)) {
      const line = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      this.lastId = line('id') ?? this.lastId;
      if (line('event') === 'lagged') this.lagged += 1;
      if (line('event') !== 'output') continue;
      const { partition, offset } = JSON.parse(line('data')!) as Output;
      this.heard.push({ place: `${partition}/${offset}` });
    }
  }
}

function outputAt(random: Random, offsets: number[]): Output {
  const key = `k${random.below(6)}${random.below(3)}`;
  const partition = partitionOf(key);
  const offset = offsets[partition]!;
  // Markers take offsets, too.
  offsets[partition] = offset + 1 + random.below(3);
  return { partition, offset, timestamp: 1, key, value: Buffer.from('{}'), headers: [] };
}

function randomQuestion(random: Random): Question {
  if (random.chance(0.4)) {
    const key = `k${random.below(6)}${random.below(3)}`;
    return keyQuestion(latin1(key), partitionOf(key));
  }
  return prefixQuestion(latin1(random.chance(0.5) ? '' : `k${random.below(6)}`));
}

class Cluster {
  readonly log: Output[] = [];
  readonly read = [0, 0];
  readonly hubs: Hub[];
  nowMs = 0;

  constructor(windowBytesMax: number) {
    this.hubs = [0, 1].map(() => {
      const hub = new Hub({ topic: TOPIC, windowBytesMax, nowMs: () => this.nowMs, stalledMs: STALLED_MS });
      for (let partition = 0; partition < PARTITIONS; partition += 1) hub.window.open(partition, 0);
      return hub;
    });
  }

  readOn(at: number, count: number): void {
    const hub = this.hubs[at]!;
    for (const output of this.log.slice(this.read[at], this.read[at]! + count)) {
      hub.output(output);
      hub.advance(output.partition, output.offset + 1);
    }
    this.read[at] = Math.min(this.log.length, this.read[at]! + count);
  }

  /** As a reading of its own would: all that lies before the window. */
  catchUp(client: Client, at: number, start: Start): void {
    const { vector, keys } = start;
    const { window } = this.hubs[at]!;
    for (const output of this.log.slice(0, this.read[at])) {
      const { partition, offset, key } = output;
      const next = vector.get(partition);
      if (next === undefined || offset < next || offset >= window.fromOf(partition)!) continue;
      vector.set(partition, offset + 1);
      if (!isAskedFor(client.question, output) || offset < (keys.get(key) ?? 0)) continue;
      const id = keys.size > 0 ? '' : `id: ${cursorText(TOPIC, vector, partitionOfQuestion(client.question))}\n`;
      client.sink.send(Buffer.from(`${id}event: output\ndata: ${outputJson(output)}\n\n`));
    }
    for (const partition of vector.keys())
      vector.set(partition, Math.max(vector.get(partition)!, window.fromOf(partition)!));
  }

  connect(client: Client, at: number, start: Start, room: number): void {
    client.sink = new TestSink(room);
    client.hub = at;
    const fresh = { ...start, vector: new Map(start.vector) };
    if (!this.hubs[at]!.reaches(fresh.vector)) this.catchUp(client, at, fresh);
    client.subscriber = this.hubs[at]!.attach(client.question, client.sink, fresh);
  }
}

function vectorAt(question: Question, offsets: readonly number[]): Vector {
  const only = partitionOfQuestion(question);
  return new Map([...offsets.entries()].filter(([partition]) => partition === (only ?? partition)));
}

/** Where a client goes on: with its last id, or, if none came, from its snapshot, which it is shown again. */
function resumeAt(client: Client): Start {
  if (client.lastId === undefined) {
    client.heard.length = 0;
    return client.start;
  }
  const read = readCursor(client.lastId, TOPIC, partitionOfQuestion(client.question));
  if (read.kind !== 'cursor') throw new Error(`${client.lastId} is ${read.kind}`);
  return startAt(read.vector);
}

describe('the hub', () => {
  test('[Q3] once an event said where to go on, each behind it does: of a snapshot ahead of what was read, too', () => {
    const hub = new Hub({ topic: TOPIC, windowBytesMax: 10_000, nowMs: () => 0, stalledMs: STALLED_MS });
    for (let partition = 0; partition < PARTITIONS; partition += 1) hub.window.open(partition, 0);
    const say = (partition: number, offset: number): void => {
      hub.output({ partition, offset, timestamp: 1, key: `k${partition}`, value: Buffer.from('{}'), headers: [] });
    };
    say(1, 4);
    const sink = new TestSink(Infinity);
    // The snapshot has more of partition 0 than was read here, and one key of partition 1 as of a later offset.
    const vector = new Map([
      [0, 8],
      [1, 4],
      [2, 0],
    ]);
    const until = new Map([...vector, [1, 5]]);
    hub.attach(prefixQuestion(latin1('')), sink, { vector, keys: new Map([['k9', 5]]), until });
    say(2, 0);
    const ids = sink.waiting.map((block) => /^id: (.*)$/m.exec(block)?.[1]);
    expect(ids).toEqual(['01234567.3.all.8-5-0', '01234567.3.all.8-5-1']);
  });

  test.each(Array.from({ length: SEEDS }, (_, i) => SEED + i))(
    '[Q3] seed %i: each subscriber hears all that follows its snapshot, once, over whatever connections (rerun: SEED)',
    (seed) => {
      const random = seededRandom(seed);
      const cluster = new Cluster(400 + random.below(20_000));
      const offsets = Array.from({ length: PARTITIONS }, () => 0);
      const clients: Client[] = [];
      const begin = (): void => {
        const question = randomQuestion(random);
        const vector = vectorAt(question, offsets);
        // A list of several commits: some keys are shown as of later outputs, which are in the log by then.
        const keys = new Map<string, number>();
        const until = new Map(vector);
        if (question.by === 'prefix' && random.chance(0.5))
          for (let i = random.below(20); i > 0; i -= 1) {
            const output = outputAt(random, offsets);
            cluster.log.push(output);
            if (random.chance(0.5)) keys.set(output.key, output.offset + 1);
            until.set(output.partition, output.offset + 1);
          }
        const client = new Client(question, { vector, keys, until });
        clients.push(client);
        cluster.connect(client, random.below(2), client.start, 1 + random.below(40));
      };
      for (let deed = 0; deed < 400; deed += 1) {
        cluster.nowMs += random.below(5);
        const what = random.below(10);
        if (what < 4) cluster.log.push(outputAt(random, offsets));
        else if (what < 6) cluster.readOn(random.below(2), 1 + random.below(10));
        else if (what === 6 && clients.length < 12) begin();
        const client = clients[random.below(clients.length)];
        if (client === undefined) continue;
        if (what === 7) {
          client.sink.take(1 + random.below(30));
          cluster.hubs[client.hub]!.drained(client.subscriber!);
        } else if (what === 8) cluster.hubs[random.below(2)]!.keepAlive(deed, 3);
        client.receive();
        if (!(client.sink.hasEnded && client.sink.waiting.length === 0) && !(what === 9 && random.chance(0.2)))
          continue;
        // Events that have not arrived are gone with the connection.
        client.sink.take(random.below(client.sink.waiting.length + 1));
        client.receive();
        cluster.hubs[client.hub]!.detach(client.subscriber!);
        cluster.connect(client, random.below(2), resumeAt(client), 1 + random.below(40));
      }
      for (const at of [0, 1]) cluster.readOn(at, cluster.log.length);
      for (const client of clients)
        for (let i = 0; i < 500; i += 1) {
          client.sink.take(Infinity);
          client.receive();
          if (client.sink.hasEnded) cluster.connect(client, client.hub, resumeAt(client), 1e6);
          else cluster.hubs[client.hub]!.drained(client.subscriber!);
        }
      for (const { question, start, heard } of clients) {
        const expected = cluster.log.filter(
          (output) =>
            isAskedFor(question, output) &&
            output.offset >= (start.vector.get(output.partition) ?? Infinity) &&
            output.offset >= (start.keys.get(output.key) ?? 0),
        );
        const inOrder = (all: readonly string[]): readonly string[] =>
          Array.from({ length: PARTITIONS }, (_, partition) =>
            all.filter((each) => each.startsWith(`${partition}/`)),
          ).flat();
        const places = heard.map(({ place }) => place);
        expect(inOrder(places)).toEqual(inOrder(expected.map(({ partition, offset }) => `${partition}/${offset}`)));
      }
    },
  );
});
