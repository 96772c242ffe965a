import { expect, test } from '@jest/globals';
import { PartitionStopped } from '@flatline/base';
import { ManualClock } from '@flatline/base/manual-clock';
import type { PipelineConfig } from '@flatline/config';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { HttpSink } from './http-sink.ts';
import { Pushes } from './pushes.ts';
import { keyQuestion } from './question.ts';

const PIPELINE = { name: 'visits', input: { topic: 'in' }, output: { topic: 'out' } } as PipelineConfig;
const QUESTION = keyQuestion(Buffer.from('a'), 0);
const SOURCE = {
  pageHere: () => Promise.reject(new Error('none')),
  pageThere: () => Promise.reject(new Error('none')),
  endpoint: () => '',
};

class Response extends EventEmitter {
  isEnded = false;
  readonly writableLength = 0;
  write(): boolean {
    return true;
  }
  end(): void {
    this.isEnded = true;
    this.emit('close');
  }
}

/** A topic that can be made again. */
class Topic {
  id = '0'.repeat(32);
  partitions = 1;
  failure: Error | undefined;
  wake: (() => void) | undefined;
  closed = 0;

  open = () => ({
    describe: () => Promise.resolve({ topicId: this.id, partitions: this.partitions }),
    ends: () => Promise.resolve({ logStartOffset: 0, lastStableOffset: 5_000 }),
    reader: { subscribe: () => this.#subscription() as never },
    close: () => {
      this.closed += 1;
      return Promise.resolve();
    },
  });

  #subscription() {
    // eslint-disable-next-line @typescript-eslint/no-this-alias
    const topic = this;
    return {
      take: () => undefined,
      get failure() {
        return topic.failure;
      },
      onChange: (wake: (() => void) | undefined) => (topic.wake = wake),
      close: () => undefined,
    };
  }
}

function made(connectionsMax = 1_000) {
  const clock = new ManualClock();
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const topic = new Topic();
  const parts = {
    config: { application: 'shop', pipelines: [PIPELINE] },
    kafka: {} as never,
    clock,
    log: silent as never,
  };
  const pushes = new Pushes(parts, connectionsMax, topic.open);
  const subscribed = async (): Promise<Response> => {
    const response = new Response();
    const push = await pushes.of(PIPELINE, SOURCE);
    await push.subscribe(QUESTION, new HttpSink(response as unknown as ServerResponse, clock), new Map([[0, 5_000]]));
    return response;
  };
  return { clock, topic, pushes, subscribed };
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

async function lose(topic: Topic): Promise<void> {
  topic.failure = new PartitionStopped('the offset is not there');
  topic.wake?.();
  await settle();
  topic.failure = undefined;
}

test.each([
  ['made again', (topic: Topic) => (topic.id = '1'.repeat(32))],
  ['given more partitions', (topic: Topic) => (topic.partitions = 2)],
])(
  '[Q3] who hears a topic that was %s has its connection ended, and the next hears the new one',
  async (_how, change) => {
    const { topic, pushes, subscribed } = made();
    const response = await subscribed();
    change(topic);
    await lose(topic);
    expect([response.isEnded, topic.closed]).toEqual([true, 1]);
    expect((await pushes.of(PIPELINE, SOURCE)).topic).toEqual({ topicId: topic.id, partitions: topic.partitions });
  },
);

test('[Q3] who hears a topic that has lost outputs to its retention keeps its connection', async () => {
  const { topic, subscribed } = made();
  const response = await subscribed();
  await lose(topic);
  expect([response.isEnded, topic.closed]).toEqual([false, 0]);
});

test('[Q3] a topic without subscribers is looked at again for whoever comes next', async () => {
  const { topic, clock, pushes, subscribed } = made();
  (await subscribed()).end();
  clock.advance(1_000);
  topic.id = '1'.repeat(32);
  expect((await pushes.of(PIPELINE, SOURCE)).topic.topicId).toBe(topic.id);
});

test('[Q3][H5] subscribers leave a tenth of the connections to others', async () => {
  const { pushes, subscribed } = made(20);
  for (let i = 0; i < 18; i += 1) {
    expect(pushes.admit()).toBe(0);
    await subscribed();
  }
  expect(pushes.admit()).toBeGreaterThan(0);
});
