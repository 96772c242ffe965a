import { expect, test } from '@jest/globals';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import './kafkajs-patches.ts';

interface Timed {
  throttleCheckTimeoutId?: unknown;
  pending: unknown[];
}

test('[kafkajs 16] a queue with nothing pending sets no timer, one with something does', () => {
  const queue: Timed & RequestQueue = Object.assign(Object.create(RequestQueue.prototype) as RequestQueue, {
    pending: [],
  });
  queue.scheduleCheckPendingRequests();
  expect(queue.throttleCheckTimeoutId).toBeUndefined();
  queue.pending.push({});
  queue.scheduleCheckPendingRequests();
  expect(queue.throttleCheckTimeoutId).toBeDefined();
  clearTimeout(queue.throttleCheckTimeoutId as NodeJS.Timeout);
});
