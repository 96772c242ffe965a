// Deadlines in a sorted set, and a script that moves those that have passed to a stream: what users of Redis write.
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';

const SESSIONS = 'sessions';
const CLOSED = 'closed';
/** Members of one command, and closes of one look. */
const MEMBERS_MAX = 1_000;
const CLOSED_KEPT = 1_000_000;

const CLOSE = `
  local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ${MEMBERS_MAX})
  for at = 1, #due, 2 do
    redis.call('XADD', KEYS[2], 'MAXLEN', '~', ${CLOSED_KEPT}, '*', 'id', due[at], 'deadline', due[at + 1])
    redis.call('ZREM', KEYS[1], due[at])
  end
  return #due / 2`;

const WINDOWS = 'windows';
/** Windows of one look: what a script does holds up all others. */
const WINDOWS_MAX = 100;

/** The first item of a window says when it is due. */
const PUSH = `
  for at = 1, #ARGV, 3 do
    if redis.call('RPUSH', 'items:' .. ARGV[at], ARGV[at + 2]) == 1 then
      redis.call('ZADD', KEYS[1], ARGV[at + 1], ARGV[at])
    end
  end`;

const TAKE = `
  local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ${WINDOWS_MAX})
  local taken = {}
  for at = 1, #due do
    local items = 'items:' .. due[at]
    taken[at] = redis.call('LRANGE', items, 0, -1)
    redis.call('DEL', items)
    redis.call('ZREM', KEYS[1], due[at])
  end
  return taken`;

export function open({ port, timeoutOf }) {
  const redis = new Redis({ port, host: '127.0.0.1' });
  redis.defineCommand('closeDue', { numberOfKeys: 2, lua: CLOSE });
  redis.defineCommand('pushItems', { numberOfKeys: 1, lua: PUSH });
  redis.defineCommand('takeWindows', { numberOfKeys: 1, lua: TAKE });
  return {
    closesMax: MEMBERS_MAX,
    apply: (events) => addAll(redis, events, timeoutOf),
    closeSilent: (now) => redis.closeDue(SESSIONS, CLOSED, now),
    watch: async (onClose) => {
      await redis.ping();
      void follow(redis, onClose);
    },
    add: (messages) => addMessages(redis, messages),
    drain: async (onDue, pollEveryMs) => {
      // A connection that waits for entries does nothing else.
      void follow(redis.duplicate(), (member) => {
        onDue(Number(member.slice(0, member.indexOf(':'))));
      });
      for (;;) if ((await redis.closeDue(SESSIONS, CLOSED, Date.now())) < MEMBERS_MAX) await delay(pollEveryMs);
    },
    push: (items) => pushItems(redis, items),
    drainWindows: async (onItem, pollEveryMs) => {
      for (;;) {
        const taken = await redis.takeWindows(WINDOWS, Date.now());
        for (const items of taken) items.forEach(onItem);
        if (taken.length < WINDOWS_MAX) await delay(pollEveryMs);
      }
    },
  };
}

/** The message is the member: a hash beside the set would cost it more. */
async function addMessages(redis, messages) {
  const pipeline = redis.pipeline();
  let members = [];
  for (const { id, dueAt, value } of messages) {
    members.push(dueAt, `${id}:${value}`);
    if (members.length < 2 * MEMBERS_MAX) continue;
    pipeline.zadd(SESSIONS, ...members);
    members = [];
  }
  if (members.length > 0) pipeline.zadd(SESSIONS, ...members);
  for (const [error] of await pipeline.exec()) if (error !== null) throw error;
}

/** As one pipeline of scripts, each with many items. */
async function pushItems(redis, items) {
  const pipeline = redis.pipeline();
  let given = [];
  for (const { key, dueAt, value } of items) {
    given.push(key, dueAt, value);
    if (given.length < 3 * MEMBERS_MAX) continue;
    pipeline.pushItems(WINDOWS, ...given);
    given = [];
  }
  if (given.length > 0) pipeline.pushItems(WINDOWS, ...given);
  for (const [error] of await pipeline.exec()) if (error !== null) throw error;
}

/** As one pipeline. A deadline never goes back: GT. */
async function addAll(redis, events, timeoutOf) {
  const pipeline = redis.pipeline();
  for (let from = 0; from < events.length; from += MEMBERS_MAX) {
    const members = [];
    for (const { id, at } of events.slice(from, from + MEMBERS_MAX)) members.push(at + timeoutOf(id), id);
    pipeline.zadd(SESSIONS, 'GT', ...members);
  }
  for (const [error] of await pipeline.exec()) if (error !== null) throw error;
}

async function follow(redis, onClose) {
  let after = '0';
  for (;;) {
    const [[, entries]] = await redis.xread('BLOCK', 0, 'STREAMS', CLOSED, after);
    for (const [, [, id, , deadline]] of entries) onClose(id, Number(deadline));
    after = entries.at(-1)[0];
  }
}
