// Who is online, and through which gateway? A second login, and a lost gateway. docs/examples/dispatcher/README.md
import { connect, directory } from '@flatline/client';
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const { BROKERS, FLATLINE_URL } = process.env;
const say = (what) => process.stdout.write(`${what}\n`);
const AGAIN_AFTER_MS = 10_000;
const TRIES_MAX = 10;
const LOOK_MS = 500;

const flatline = connect({ brokers: BROKERS.split(',') });
const users = await flatline.sessions({ topic: 'user-messages', timeoutMs: 30_000 });
const online = directory({ urls: [FLATLINE_URL], pipeline: 'users' });

/** The newest login in the log is the user's: its attributes replace those of the one before. */
function logIn(user, gateway) {
  const login = randomUUID();
  const session = users.session(user); // a source of its own, so that no former login's messages are its duplicates
  session.start({ attributes: { gateway, login } });
  say(`${user} logs in by ${gateway}`);
  return { user, login, session };
}

/** The dispatcher: takes the message into the log, and answers as of no earlier; undefined: nothing could be said in time. */
async function dispatch({ user, session }, message) {
  const untilMs = performance.now() + AGAIN_AFTER_MS;
  session.event(message);
  await users.flush();
  while (performance.now() < untilMs) {
    const entry = await online.get(user, { proof: 'now' }).catch(() => undefined); // no instance answers: ask again
    if (entry?.state === 'live') return entry;
    await delay(entry?.retryAfterMs ?? LOOK_MS);
  }
}

/** The client's own rule: no answer in ten seconds, the same message again; ten times, a login from the beginning. */
async function send(client, otherGateway) {
  const { user, login, session } = client;
  const message = { type: 'MESSAGE', eventId: randomUUID() }; // sent again, it counts once
  let said;
  for (let tries = 0; said === undefined && tries < TRIES_MAX; tries += 1)
    said = (await dispatch(client, message))?.attributes;
  if (said?.login === login) {
    say(`${user} is heard by ${said.gateway}`);
    return client;
  }
  session.leave();
  if (said?.login !== undefined) {
    say(`${user} has logged in elsewhere, by ${said.gateway}`);
    return undefined;
  }
  say(`${user} is not known any more`); // his session went with the gateway
  return logIn(user, otherGateway);
}

const anna = logIn('anna', 'g1');
const bob = logIn('bob', 'g1');
const clara = logIn('clara', 'g2');
for (const client of [anna, bob, clara]) await send(client, 'g2');
const annasPhone = logIn('anna', 'g2');
await send(annasPhone, 'g2');
await send(anna, 'g2');

await online.evict({ attribute: 'gateway', equals: 'g1' });
say('g1 is lost');
await send(await send(bob, 'g2'), 'g2');
for (const client of [annasPhone, clara]) await send(client, 'g2');
await flatline.close();
