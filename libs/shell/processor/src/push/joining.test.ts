// Subscribers that resume from before the window: what they need is read, and they are not subscribed yet.
import { expect, test } from '@jest/globals';
import { ManualClock } from '@flatline/base/manual-clock';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { HttpSink } from './http-sink.ts';
import { PipelinePush } from './pipeline-push.ts';
import { keyQuestion } from './question.ts';

const END = 5_000;
const TOPIC = { topicId: '0123456789abcdef0123456789abcdef', partitions: 1 };

class Response extends EventEmitter {
  readonly said: string[] = [];
  writableLength = 0;
  write(bytes: Buffer, flushed?: () => void): boolean {
    this.said.push(bytes.toString());
    if (flushed) setImmediate(flushed);
    return true;
  }
  end(): void {
    this.destroy();
  }
  destroy(): void {
    this.emit('close');
  }
}

class Subscription {
  readonly failure = undefined;
  /** Nothing ever comes. */
  take(): undefined {
    return undefined;
  }
  onChange(): void {}
  close(): void {}
}

function made(): { clock: ManualClock; push: PipelinePush } {
  const clock = new ManualClock();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined } as never;
  const ends = { logStartOffset: 0, lastStableOffset: END };
  const push = new PipelinePush({
    pipeline: 'visits',
    outputTopic: 'out',
    topic: TOPIC,
    reader: { subscribe: () => new Subscription() as never },
    ends: () => Promise.resolve(ends),
    source: {
      pageHere: () => Promise.reject(new Error('none')),
      pageThere: () => Promise.reject(new Error('none')),
      endpoint: () => '',
    },
    clock,
    log,
    turns: setImmediate,
    onLost: () => undefined,
  });
  return { clock, push };
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

function connected(clock: ManualClock): { response: Response; sink: HttpSink } {
  const response = new Response();
  return { response, sink: new HttpSink(response as unknown as ServerResponse, clock) };
}

async function follower(push: PipelinePush, clock: ManualClock): Promise<void> {
  // Has the partition read near its end, so that the window does not reach back.
  const { sink } = connected(clock);
  await push.subscribe(keyQuestion(Buffer.from('b'), 0), sink, new Map([[0, END]]));
}

test('[Q3] whoever goes while it is caught up with has gone', async () => {
  const { push, clock } = made();
  await follower(push, clock);
  const before = push.size;
  const { response, sink } = connected(clock);
  const done = push.subscribe(keyQuestion(Buffer.from('a'), 0), sink, new Map([[0, 10]]));
  await settle();
  expect(push.size).toBe(before + 1);
  response.destroy();
  await settle();
  await done;
  expect(push.size).toBe(before);
});

test('[Q3] a connection is said to live while it is caught up with', async () => {
  const { push, clock } = made();
  await follower(push, clock);
  const { response, sink } = connected(clock);
  void push.subscribe(keyQuestion(Buffer.from('a'), 0), sink, new Map([[0, 10]]));
  await settle();
  for (let turn = 0; turn < 60; turn += 1) {
    push.tick(turn, 15);
    await settle();
  }
  expect(response.said.length).toBeGreaterThan(0);
});
