import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { OAuthCredentials } from './credentials.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { giving, openTokenEndpoint, saying, type TokenEndpoint } from './token-endpoint.fixture.ts';
import { TokenSource } from './token-source.ts';

let endpoint: TokenEndpoint;
let clock: ManualClock;
let troubles: string[];
let source: TokenSource;
/** Changes to the credentials that the source renews with by itself. */
let renewing: Partial<OAuthCredentials>;
beforeEach(async () => {
  endpoint = await openTokenEndpoint();
  clock = new ManualClock();
  troubles = [];
  renewing = {};
  source = new TokenSource({ clock, renew: () => give(renewing), onTrouble: (message) => troubles.push(message) });
});
afterEach(() => endpoint.close());

function client(changes: Partial<OAuthCredentials> = {}): OAuthCredentials {
  const said = { clientId: 'me@home', clientSecret: 'hush:%hush', scope: 'kafka read' };
  return { mechanism: 'oauthbearer', tokenEndpoint: endpoint.url, ...said, ...changes };
}

const give = (changes?: Partial<OAuthCredentials>): Promise<string> => source.token(client(changes));

/** Waits in turns of the event loop: what follows an answer takes no time. */
async function settled(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn += 1) {
    if (turn === 100_000) throw new Error('this never settles');
    await new Promise(setImmediate);
  }
}

/** Error of asking for a token when the endpoint answers so, the next time it is asked. */
async function refusal(answer: TokenEndpoint['answer']): Promise<Error> {
  endpoint.answer = answer;
  return (await give().catch((error: unknown) => error)) as Error;
}

describe('a token', () => {
  test('is asked for as RFC 6749 has it: grant, scope, and the client by Basic, encoded as a form', async () => {
    expect(await give()).toBe('token-1');
    const { authorization = '', body } = endpoint.asked[0]!;
    expect(body).toBe('grant_type=client_credentials&scope=kafka+read');
    expect(Buffer.from(authorization.slice('Basic '.length), 'base64').toString()).toBe('me%40home:hush%3A%25hush');
    await give({ scope: undefined });
    expect(endpoint.asked[1]!.body).toBe('grant_type=client_credentials');
  });

  test('TN1 is one for all that ask, until 30 s before its end', async () => {
    expect(new Set(await Promise.all([give(), give(), give()]))).toEqual(new Set(['token-1']));
    clock.advance(269_999);
    expect(await give()).toBe('token-1');
    clock.advance(1);
    expect(await give()).toBe('token-2');
  });

  test.each([
    [8, 4_000],
    ['8', 4_000],
    [undefined, 5_000],
    ['soon', 5_000],
  ])('of expires_in %p is renewed after %i ms', async (seconds, renewedMs) => {
    endpoint.answer = giving('short', seconds);
    await give();
    clock.advance(renewedMs - 1);
    await give();
    expect(endpoint.asked).toHaveLength(1);
    clock.advance(1);
    expect(await give()).toBe('short-2');
  });

  test('is another where the secret is another', async () => {
    expect(await give()).toBe('token-1');
    expect(await give({ clientSecret: 'new' })).toBe('token-2');
    expect(await give({ clientSecret: 'new' })).toBe('token-2');
  });

  test('TN2 that cannot be renewed is used until it ends, and that is told', async () => {
    await give();
    clock.advance(280_000);
    endpoint.answer = saying(503, '');
    expect(await give()).toBe('token-1');
    expect(troubles).toEqual([expect.stringMatching(/cannot be renewed, and ends in 20000 ms: .* answered 503/)]);
    clock.advance(20_000);
    await expect(give()).rejects.toThrow(/answered 503/);
    endpoint.answer = giving('token', 300);
    clock.advance(60_000);
    expect(await give()).toBe('token-4');
  });

  test('TN2 TN5 that lives is given after 1.5 s where the endpoint hangs, which is asked once; a late answer counts', async () => {
    await give();
    let answerNow = (): void => undefined;
    endpoint.answer = (response, nth) => {
      answerNow = () => {
        giving('late', 300)(response, nth);
      };
    };
    clock.advance(280_000);
    const asking = [give(), give()];
    await endpoint.askedTimes(2);
    clock.advance(1_500);
    expect(await Promise.all(asking)).toEqual(['token-1', 'token-1']);
    expect(endpoint.asked).toHaveLength(2);
    answerNow();
    expect(await give()).toBe('late-2');
    expect(troubles).toEqual([]);
  });

  test('TN5 that ends while the endpoint hangs is no longer given: the endpoint has its whole time', async () => {
    await give();
    endpoint.answer = () => undefined;
    clock.advance(299_000);
    const asking = give();
    await endpoint.askedTimes(2);
    clock.advance(1_500);
    clock.advance(8_500);
    await expect(asking).rejects.toThrow(/did not answer within 10000 ms/);
    expect(endpoint.asked).toHaveLength(2);
  });

  test('TN5 is renewed in time without any login, by the credentials of then, and after a failure once more', async () => {
    await give();
    endpoint.answer = saying(503, '');
    clock.advance(270_000);
    await settled(() => troubles.length === 1);
    expect(clock.pending).toBe(1);
    renewing = { clientSecret: 'rotated' };
    endpoint.answer = giving('again', 300);
    clock.advance(10_000);
    await endpoint.askedTimes(3);
    expect(await give(renewing)).toBe('again-3');
    const { authorization = '' } = endpoint.asked[2]!;
    expect(Buffer.from(authorization.slice('Basic '.length), 'base64').toString()).toMatch(/:rotated$/);
    expect(endpoint.asked).toHaveLength(3);
  });

  test('TN2 TN5 that lives is used where the new secret is refused, and that is told with or without a login', async () => {
    await give();
    renewing = { clientSecret: 'not yet known' };
    endpoint.answer = saying(401, '');
    clock.advance(270_000);
    await settled(() => troubles.length === 1);
    expect(troubles[0]).toMatch(/cannot be renewed, and ends in 30000 ms: .* answered 401/);
    clock.advance(20_000);
    await settled(() => troubles.length === 2);
    expect(await give(renewing)).toBe('token-1');
    clock.advance(10_000);
    await settled(() => endpoint.asked.length === 4);
    await expect(give(renewing)).rejects.toThrow(/answered 401/);
  });

  test("TN2 of one client is no comfort where another is refused: that is the login's failure, and no renewal's", async () => {
    await give();
    endpoint.answer = saying(401, '');
    const other = { clientId: 'other' };
    await expect(give(other)).rejects.toThrow(/answered 401/);
    expect(troubles).toEqual([]);
  });

  test('TN5 is asked for by logins alone where its life is not said, and at most each 5 s where it is short', async () => {
    endpoint.answer = giving('unsaid', undefined);
    await give();
    expect(clock.pending).toBe(0);
    clock.advance(600_000);
    endpoint.answer = giving('short', 1);
    await give();
    clock.advance(4_999);
    for (let turn = 0; turn < 1_000; turn += 1) await new Promise(setImmediate);
    expect(endpoint.asked).toHaveLength(2);
    clock.advance(1);
    await settled(() => endpoint.asked.length === 3);
  });

  test('TN6 is neither asked for nor renewed at rest, and a request under way ends', async () => {
    await give();
    endpoint.answer = () => undefined;
    clock.advance(270_000);
    await endpoint.askedTimes(2);
    source.rest();
    await endpoint.hungUp;
    await settled(() => clock.pending === 0);
    clock.advance(60_000);
    await expect(give()).rejects.toThrow(/every connection is closed/);
    expect(endpoint.asked).toHaveLength(2);
    expect(troubles).toEqual([]);
    source.resume();
    endpoint.answer = giving('new', 300);
    expect(await give()).toBe('new-3');
    expect(clock.pending).toBe(1);
  });

  test('TN1 has one request under way also where the credentials change: that of the old ones ends', async () => {
    endpoint.answer = () => undefined;
    const old = give();
    await endpoint.askedTimes(1);
    endpoint.answer = giving('token', 300);
    const another = give({ clientSecret: 'new' });
    await expect(old).rejects.toThrow(/was not waited for any longer/);
    expect(await another).toBe('token-2');
  });

  test('TN4 that a broker has refused is asked for again, once in 5 s, and is what others use until there is another', async () => {
    source.refused(await give());
    expect(await give()).toBe('token-2');
    // A broker that takes none: the endpoint is left alone, and other brokers let this process in.
    source.refused('token-2');
    expect(await give()).toBe('token-2');
    clock.advance(5_000);
    // A connection still had the one before.
    source.refused('token-1');
    expect(await give()).toBe('token-2');
    source.refused('token-2');
    expect(await give()).toBe('token-3');
    clock.advance(5_000);
    endpoint.answer = saying(500, '');
    source.refused('token-3');
    expect(await give()).toBe('token-3');
  });

  test('TN1 is not asked for again at once where the endpoint has failed', async () => {
    const error = await refusal(saying(500, ''));
    endpoint.answer = giving('late', 300);
    await expect(give()).rejects.toBe(error);
    expect(endpoint.asked).toHaveLength(1);
    clock.advance(1_000);
    expect(await give()).toBe('late-2');
  });
});

describe('what an endpoint does instead is named with its address, and no secret is', () => {
  const long = 'x'.repeat(300_000);
  test.each([
    [
      'refuses the client',
      saying(401, '{"error":"invalid_client"}'),
      'Misconfigured',
      /401 \(invalid_client\); check kafka.sasl.clientId/,
    ],
    [
      'knows no such scope',
      saying(400, '{"error":"invalid_scope","error_description":"no"}'),
      'Misconfigured',
      /invalid_scope: no/,
    ],
    ['is not there', saying(404, ''), 'Misconfigured', /answered 404; check that kafka.sasl.tokenEndpoint/],
    ['sends elsewhere', saying(307, '', { location: 'http://127.0.0.1:9/' }), 'Misconfigured', /answered 307/],
    ['fails', saying(500, 'boom'), 'Retriable', /answered 500; see its own log/],
    ['is asked too often', saying(429, ''), 'Retriable', /answered 429/],
    ['answers with garbage', saying(200, '<html>'), 'Retriable', /no access_token/],
    ['answers with no token', saying(200, '{"access_token":""}'), 'Retriable', /no access_token/],
    ['gives what no header can hold', saying(200, '{"access_token":"a\\u0001b"}'), 'Retriable', /no access_token/],
    ['answers without end', saying(200, long), 'Retriable', /more than 262144 bytes/],
    ['hangs up', (response) => response.destroy(), 'Retriable', /cannot be reached \(.+\); start it/],
    [
      'breaks off',
      (response) => response.writeHead(200, { 'content-length': '9' }).end('a', () => response.destroy()),
      'Retriable',
      /cannot be reached/,
    ],
  ] as readonly [string, TokenEndpoint['answer'], string, RegExp][])('%s', async (_what, answer, name, words) => {
    const error = await refusal(answer);
    expect(error).toMatchObject({ name, message: expect.stringMatching(words) });
    expect(error.message).toContain(endpoint.url.replace(/\?.*/, ''));
    expect(error.message).not.toMatch(/hush|tenant/);
  });

  test('hangs', async () => {
    endpoint.answer = () => undefined;
    const asking = give();
    await endpoint.askedTimes(1);
    clock.advance(10_000);
    await expect(asking).rejects.toMatchObject({
      name: 'Retriable',
      message: expect.stringMatching(/did not answer within 10000 ms/),
    });
  });

  test('is away', async () => {
    const away = endpoint.url;
    await endpoint.close();
    await expect(give({ tokenEndpoint: away })).rejects.toMatchObject({
      name: 'Retriable',
      message: expect.stringMatching(/cannot be reached \(.*ECONNREFUSED/),
    });
  });
});
