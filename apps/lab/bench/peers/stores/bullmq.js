// A delayed job per session, put off by each heartbeat: BullMQ's debounce mode as its documentation has it.
import { Queue, Worker } from 'bullmq';

const QUEUE = 'closes';
const EVENTS_KEPT = 100;
const CONCURRENCY = 100;

export function open({ port, timeoutOf }) {
  const connection = { port, host: '127.0.0.1', maxRetriesPerRequest: null };
  const queue = new Queue(QUEUE, {
    connection,
    streams: { events: { maxLen: EVENTS_KEPT } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  return {
    apply: (events) => queue.addBulk(latestOf(events, timeoutOf).map(jobOf)),
    watch: (onClose) => {
      const process = ({ data: { id, deadlineAt } }) => Promise.resolve(onClose(id, deadlineAt));
      return new Worker(QUEUE, process, { connection, concurrency: CONCURRENCY }).waitUntilReady();
    },
    add: (messages) =>
      queue.addBulk(
        [...messages].map(({ id, dueAt, value }) => ({
          ...{ name: 'due', data: { id, value }, opts: { delay: Math.max(1, dueAt - Date.now()) } },
        })),
      ),
    drain: async (onDue) => {
      const process = ({ data: { id } }) => Promise.resolve(onDue(id));
      await new Worker(QUEUE, process, { connection, concurrency: CONCURRENCY }).waitUntilReady();
    },
    keepsLast: true,
    push: (items) => queue.addBulk([...items].map(windowOf)),
    drainWindows: async (onItem) => {
      const process = ({ data }) => Promise.resolve(onItem(data));
      await new Worker(QUEUE, process, { connection, concurrency: CONCURRENCY }).waitUntilReady();
    },
  };
}

/** Only the last event of a session counts, and each job is expensive. */
function latestOf(events, timeoutOf) {
  const latest = new Map();
  for (const { id, at } of events) latest.set(id, at + timeoutOf(id));
  return [...latest];
}

function jobOf([id, deadlineAt]) {
  const delay = Math.max(1, deadlineAt - Date.now());
  const deduplication = { id, ttl: delay, extend: true, replace: true };
  return { name: 'close', data: { id, deadlineAt }, opts: { delay, deduplication } };
}

/** The item takes the place of the one before. */
function windowOf({ key, dueAt, value }) {
  const delay = Math.max(1, dueAt - Date.now());
  return {
    name: 'window',
    data: value,
    opts: { delay, deduplication: { id: key, ttl: delay, extend: true, replace: true } },
  };
}
