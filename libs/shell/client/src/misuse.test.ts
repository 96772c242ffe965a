// Misuse by programs in plain JavaScript, which have no types to stop them.
import { afterEach, describe, expect, test } from '@jest/globals';
import { inspect } from 'node:util';
import { HeartbeatProducer } from './heartbeat-producer.ts';
import { connect, type Flatline } from './index.ts';

const opened: Flatline[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

/** As plain JavaScript sees it. */
function loose(): Record<string, (options?: unknown) => unknown> {
  const made = connect({ brokers: ['127.0.0.1:1'] });
  opened.push(made);
  return made as unknown as Record<string, (options?: unknown) => unknown>;
}

const connectLoosely = connect as (options?: unknown) => Flatline;

describe('connect', () => {
  test.each([
    [undefined, "connect: the options are undefined: give an object with brokers, as { brokers: ['127.0.0.1:9092'] }"],
    [
      { broker: ['a:1'] },
      'connect: there is no option broker; did you mean brokers? There are brokers, clientId, ssl, ',
    ],
    [{ brokers: 'a:1' }, 'connect: brokers is "a:1": give an array of addresses, as [\'127.0.0.1:9092\']'],
    [{ brokers: [] }, 'connect: brokers is an array of 0: give an array of addresses'],
    [{ brokers: ['a:1'], clientId: 7 }, 'connect: clientId is 7: give text'],
    [{}, 'connect: brokers is undefined: give an array of addresses'],
  ])('[I4] refuses %j, and says what to give', (options, words) => {
    expect(() => connectLoosely(options)).toThrow(TypeError);
    expect(() => connectLoosely(options)).toThrow(words);
  });
});

describe('what is opened', () => {
  test.each([
    ['heartbeats', { topik: 't' }, 'heartbeats: there is no option topik; did you mean topic?'],
    ['heartbeats', { topic: 7 }, 'heartbeats: topic is 7: give text'],
    ['sessions', { topic: 't' }, 'sessions: timeoutMs is undefined: give a number of milliseconds, 1 or more'],
    [
      'sessions',
      { topic: 't', timeoutMs: '10s' },
      'sessions: timeoutMs is "10s": give a number of milliseconds, 1 or more',
    ],
    [
      'sessions',
      { topic: 't', timeoutMs: 1, onDroped: () => 1 },
      'sessions: there is no option onDroped; did you mean onDropped?',
    ],
    ['leases', { topic: 't' }, 'leases: answers is undefined: give text'],
    [
      'summaries',
      { topic: 't', from: 'start' },
      "summaries: from is \"start\": give 'beginning', 'end' or a Map of offsets",
    ],
  ])('[I4] %s of %j is refused', async (call, options, words) => {
    const tried = loose()[call]!(options);
    await expect(tried).rejects.toThrow(TypeError);
    await expect(tried).rejects.toThrow(words);
  });

  test('[I4] completedSessions is refused at the call', () => {
    const flatline = loose();
    expect(() => flatline['completedSessions']!({ topic: 't', grup: 'g' })).toThrow(
      'completedSessions: there is no option grup; did you mean group?',
    );
    expect(() => flatline['completedSessions']!({ topic: 't', group: 'g', from: 'latest' })).toThrow(
      `completedSessions: from is "latest": give 'beginning' or 'end'`,
    );
  });

  test('[I4] a handler is a function', async () => {
    await expect(loose()['handleCompletedSessions']!({ topic: 't', group: 'g' })).rejects.toThrow(
      'handleCompletedSessions: handler is undefined: give a function',
    );
  });
});

const BEARER = { mechanism: 'oauthbearer', tokenEndpoint: 'https://id', clientId: 'c', clientSecret: 's' };

describe('certificates that cannot be used', () => {
  test('[I4] are named as the options are, not as a configuration has them', async () => {
    const cut = '-----BEGIN CERTIFICATE-----\nMII';
    const client = connect({ brokers: ['127.0.0.1:1'], ssl: { ca: cut } });
    opened.push(client);
    const error = (await client.heartbeats({ topic: 't' }).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(/(^|[^.])ssl\.ca: holds a certificate that is cut off/);
    expect(inspect(error)).not.toContain('kafka.ssl');
  });

  test('[I4] and hosts and files as they are, though they begin like an option of a configuration', async () => {
    const file = '/nowhere/kafka.ssl.ca';
    const client = connect({ brokers: ['127.0.0.1:1'], ssl: { ca: file } });
    opened.push(client);
    const error = (await client.heartbeats({ topic: 't' }).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toContain(file);
  });

  test('[I4] without user and password of an address, whatever they hold', async () => {
    for (const secret of ['pw', 'my pw', 'my"pw', 'my/pw', 'my@pw']) {
      const sasl = {
        mechanism: 'oauthbearer',
        tokenEndpoint: `https://user:${secret}@idp/t`,
        clientId: 'a',
        clientSecret: 'b',
      };
      const refusal = (): unknown => connectLoosely({ brokers: ['a:1'], sasl });
      expect(refusal).toThrow('"https://(not shown)@idp/t"');
    }
    const client = connect({ brokers: ['kafka://user:my pw@h:9092'] });
    opened.push(client);
    await expect(client.heartbeats({ topic: 't' })).rejects.toThrow(
      /"kafka:\/\/\(not shown\)@h:9092" is not host:port/,
    );
  });
});

describe('options within options', () => {
  test.each([
    [{ key: { env: 'KEY' } }, 'ssl.key is { env }', 'the variable KEY'],
    [{ passphrase: { env: 'KEY' } }, 'ssl.passphrase is { env }', 'the variable KEY'],
    [{ key: { env: 7 } }, 'ssl.key is { env }', 'the variable'],
    [{ cert: { env: 'CERT' } }, 'ssl.cert is { env }', 'the variable CERT'],
    [{ ca: ['./ca.pem', { env: 'CA' }] }, 'ssl.ca is { env }', 'the variable CA'],
  ])('[I4] ssl %j, as in a configuration, is refused', (ssl, name, instead) => {
    expect(() => connectLoosely({ brokers: ['a:1'], ssl })).toThrow(
      new TypeError(`connect: ${name}, which only a configuration has: give what ${instead} holds, or { file }`),
    );
  });

  test('[I4] ssl that is { env } is no way to say TLS', () => {
    expect(() => connectLoosely({ brokers: ['a:1'], ssl: { env: 'TLS' } })).toThrow(
      /connect: ssl\.env is "TLS": give nothing/,
    );
  });

  test('[I4] a password that is { env } is refused, too', () => {
    const sasl = { mechanism: 'plain', username: 'a', password: { env: 'PW' } };
    expect(() => connectLoosely({ brokers: ['a:1'], sasl })).toThrow(
      new TypeError(
        'connect: sasl.password is { env }, which only a configuration has: give what the variable PW holds, or { file }',
      ),
    );
  });

  test.each([
    [
      { mechanism: 'plain', user: 'a', password: 'b' },
      'connect: there is no option sasl.user. There are sasl.mechanism, sasl.username, sasl.password',
    ],
    [
      { mechanism: 'plain', username: 'a' },
      "connect: sasl.password is undefined: give text, or the name of its file as { file: '/etc/shop/password' }",
    ],
    [
      { mechanism: 'oauthbearer', tokenEndpoint: 'id', clientId: 'c', clientSecret: 's' },
      'connect: sasl.tokenEndpoint is "id": give an address without user and password: https://…, or http://… on loopback',
    ],
    [
      { mechanism: 'oauthbearer', tokenEndpoint: 'http://id.example', clientId: 'c', clientSecret: 's' },
      'connect: sasl.tokenEndpoint is "http://id.example": give an address without user and password: https://…, or http://… on loopback',
    ],
    [
      {
        mechanism: 'oauthbearer',
        tokenEndpoint: 'https://id',
        clientId: 'c',
        clientSecret: 's',
        extensions: { auth: 'x' },
      },
      'connect: sasl.extensions is an object: give an object of names in letters, none of them auth, and texts in ASCII',
    ],
    [
      { mechanism: 'oauthbearer', tokenEndpoint: 'https://id', clientId: 'c', clientSecret: 's', username: 'u' },
      'connect: there is no option sasl.username. There are sasl.mechanism, sasl.tokenEndpoint, sasl.clientId, sasl.clientSecret, sasl.scope, sasl.extensions',
    ],
    [
      { mechanism: 'PLAIN', username: 'a', password: 'b' },
      "connect: sasl.mechanism is \"PLAIN\": give 'plain', 'scram-sha-256', 'scram-sha-512' or 'oauthbearer'",
    ],
    [
      { ...BEARER, tokenEndpoint: 'https://c:hu/s@h@id/token' },
      'connect: sasl.tokenEndpoint is "https://(not shown)@id/token": give an address without user and password: https://…, or http://… on loopback',
    ],
    [
      { mechanism: 'oauthbearer', tokenEndpoint: 'https://c:hush@id/token', clientId: 'c', clientSecret: 's' },
      'connect: sasl.tokenEndpoint is "https://(not shown)@id/token": give an address without user and password: https://…, or http://… on loopback',
    ],
    ...['\u0001', 'é', '', 7].map((text) => [
      { ...BEARER, extensions: { pool: text } },
      'connect: sasl.extensions is an object: give an object of names in letters, none of them auth, and texts in ASCII',
    ]),
    [
      { ...BEARER, extensions: { 'a b': 'x' } },
      'connect: sasl.extensions is an object: give an object of names in letters, none of them auth, and texts in ASCII',
    ],
  ] as readonly [object, string][])('[I4] sasl %j is refused', (sasl, words) => {
    expect(() => connectLoosely({ brokers: ['a:1'], sasl })).toThrow(new TypeError(words));
  });

  test.each([
    [
      { attemps: 3 },
      'handleRuns: there is no option retries.attemps; did you mean retries.attempts? There are retries.attempts, ',
    ],
    [{ attempts: 0 }, 'handleRuns: retries.attempts is 0: give a number, 1 or more'],
    [{ firstMs: '1s' }, 'handleRuns: retries.firstMs is "1s": give a number of milliseconds, 0 or more'],
  ])('[I4] retries %j are refused', async (retries, words) => {
    const options = { topic: 't', group: 'g', handler: () => undefined, retries };
    await expect(loose()['handleRuns']!(options)).rejects.toThrow(TypeError);
    await expect(loose()['handleRuns']!(options)).rejects.toThrow(words);
  });
});

describe('tasks', () => {
  test.each([
    [{ timeoutMs: 1_000 / 3 }, 'tasks: timeoutMs is 333.3333333333333: give a whole number of milliseconds, 1 or more'],
    [
      { timeoutMs: '4' },
      'tasks: timeoutMs is "4": give a whole number of milliseconds, 1 or more, or a length of time',
    ],
    [{ retries: { firstMs: 0.5 } }, 'tasks: retries.firstMs is 0.5: give a whole number of milliseconds, 0 or more'],
    [{ retries: { mostMs: 'soon' } }, 'tasks: retries.mostMs is "soon": give a whole number of milliseconds'],
    [{ retries: { attempts: 1.5 } }, 'tasks: retries.attempts is 1.5: give a whole number, 1 or more'],
    [
      { runs: 'r'.repeat(201), retries: { schedules: 's' } },
      'tasks: retries.schedules takes runs of at most 200 characters, as ids of retries begin with it',
    ],
  ])('[I4] with %j are refused, and what to give is said', async (given, words) => {
    const options = { runs: 'due', group: 'g', handler: () => undefined, ...given };
    await expect(loose()['tasks']!(options)).rejects.toThrow(TypeError);
    await expect(loose()['tasks']!(options)).rejects.toThrow(words);
  });
});

describe('dead letters of a handler', () => {
  test.each(['handleCompletedSessions', 'handleSummaries', 'handleLeaseEvents', 'handleBatches', 'handleRuns'])(
    '[I4] %s does not take the topic that it reads for them',
    async (call) => {
      const options = { topic: 'visits', group: 'g', handler: () => undefined, deadLetterTopic: 'visits' };
      const words = `${call}: deadLetterTopic is "visits", the topic that is read: give another, or what fails is read again for ever`;
      await expect(loose()[call]!(options)).rejects.toThrow(new TypeError(words));
      const asked = { ...options, kind: 'session' };
      await expect(loose()['handleOutputs']!(asked)).rejects.toThrow(/^handleOutputs: deadLetterTopic is "visits"/);
    },
  );
});

describe('an event of the plain producer', () => {
  test.each([
    [
      { typ: 'VIEW' },
      'event: there is no field typ; did you mean type? There are type, occurredAt, eventId, sequence, ',
    ],
    [null, "event: the event is null: give an object, as { type: 'VIEW' }"],
    [[1, 2], 'event: the event is an array of 2: give an object'],
  ])('[I4] %j is refused', (event, words) => {
    const nothing = {} as unknown as ConstructorParameters<typeof HeartbeatProducer>;
    const producer = new HeartbeatProducer(nothing[0], nothing[1]);
    expect(() => producer.event('anna', event as never)).toThrow(TypeError);
    expect(() => producer.event('anna', event as never)).toThrow(words);
  });
});
