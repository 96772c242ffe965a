import { expect, test } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { type Channel, supervisorLink } from './supervisor-link.ts';
import type { FromWorker } from './worker-messages.ts';

test('[I6][Q1] what fails while a question is answered is the answer, and ends no worker', async () => {
  const said: FromWorker[] = [];
  const events = new EventEmitter();
  const channel = Object.assign(events, {
    connected: true,
    send: (message: FromWorker) => {
      said.push(message);
      events.emit('said');
    },
  }) as Channel & EventEmitter;
  const link = supervisorLink(channel)!;
  link.serve({
    view: () => {
      throw new RangeError('no view');
    },
    metrics: () => Promise.resolve('up 1'),
    restart: () => 'absent',
    lookUp: () => Promise.reject(new TypeError('this entry shows nothing')),
    act: () => Promise.resolve(undefined),
    page: () => Promise.resolve(undefined),
  });
  const ask = async (id: number, question: object): Promise<void> => {
    const heard = new Promise((resolve) => events.once('said', resolve));
    events.emit('message', { kind: 'ask', id, question });
    await heard;
  };
  await ask(1, { about: 'entries', asking: {} });
  await ask(2, { about: 'view' });
  await ask(3, { about: 'metrics' });
  expect(said).toEqual([
    { kind: 'answer', id: 1, failure: 'TypeError: this entry shows nothing' },
    { kind: 'answer', id: 2, failure: 'RangeError: no view' },
    { kind: 'answer', id: 3, metrics: 'up 1' },
  ]);
});
