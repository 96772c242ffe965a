import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { cli } from './cli.fixture.ts';

interface Said {
  readonly status: number;
  readonly body: object;
}

const LIVE = {
  key: 'visitor-7',
  pipeline: 'visits',
  kind: 'session',
  partition: 2,
  owner: 'a',
  state: 'live',
  asOf: { clock: 1_750_000_000_000, position: 812 },
  from: 'owner',
  sessionId: 'visitor-7',
  incarnation: '2-700',
  openedAt: 1_749_999_000_000,
  eventCount: 9,
  attributes: { gateway: 'g7', note: 'a\u001b[31m' },
};
const NONE = { ...PLACE(), state: 'none', asOf: LIVE.asOf, from: 'owner' };
const MOVING = { ...PLACE(), state: 'moving', detail: 'it is being assigned', retryAfterMs: 1_000 };
const PAGE = {
  pipeline: 'visits',
  kind: 'session',
  entries: [LIVE, { ...LIVE, key: '\ufffd', keyBase64: '/w==', partition: 0 }],
  asOf: [{ partition: 2, clock: 1_750_000_000_000, position: 812 }],
  unanswered: [],
  after: '3.17',
};

function PLACE(): object {
  return { key: 'visitor-7', pipeline: 'visits', kind: 'session', partition: 2, owner: 'a' };
}

const VISITS = { pipelines: [{ name: 'visits' }] };
let pipelines: object = VISITS;
let said: Said = { status: 200, body: {} };
const asked: string[] = [];
/** Sent with requests. */
const bodies: string[] = [];
const server = createServer((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url } = request;
  const body = await text(request);
  if (body !== '') bodies.push(body);
  if (url === '/api/v1/pipelines') {
    response.end(JSON.stringify(pipelines));
    return;
  }
  asked.push(`${method} ${url}`);
  response.writeHead(said.status);
  response.end(JSON.stringify(said.body));
}

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function entries(answer: Said, ...words: string[]): ReturnType<typeof cli> {
  said = answer;
  asked.length = 0;
  bodies.length = 0;
  const { port } = server.address() as AddressInfo;
  return cli(['entries', ...words, '--url', `http://127.0.0.1:${port}`]);
}

describe('entries get', () => {
  test('[Q1] shows what a running processor answers, as of when, and who says it', async () => {
    const { exitCode, stdout } = await entries({ status: 200, body: LIVE }, 'get', 'visitor-7');
    expect(exitCode).toBe(0);
    expect(asked).toEqual(['GET /api/v1/entries/visits/visitor-7']);
    expect(stdout).toMatch(/^key +visitor-7$/m);
    expect(stdout).toMatch(/^attributes +gateway=g7 note=a\\u001b\[31m$/m);
    expect(stdout).toMatch(/^eventCount +9$/m);
    expect(stdout).toContain(
      "partition       2, as of 2025-06-15T15:06:40.000Z by the input's clock, position 812, by its owner a",
    );
    expect(stdout).not.toContain('retryAfterMs');
  });

  test('[Q1] prints the answer as HTTP gives it', async () => {
    const run = await entries({ status: 200, body: LIVE }, 'get', 'visitor-7', '--json');
    expect([run.exitCode, run.json()]).toEqual([0, [LIVE]]);
  });

  test('[Q1] marks what a standby says', async () => {
    const body = { ...LIVE, from: 'standby', lagMs: 70 };
    const { stdout } = await entries({ status: 200, body }, 'get', 'visitor-7');
    expect(stdout).toContain('by a standby, 70 ms behind: its owner a does not answer');
  });

  test('[Q1] shows all entries of a key that has several', async () => {
    const schedule = { ...PLACE(), kind: 'schedule', state: 'live', asOf: LIVE.asOf, from: 'owner' };
    const headers = [{ name: 'trace', value: { length: 2, base64: '/wA=' } }];
    const several = [
      { id: 'one', dueAt: 1_750_000_000_000, headers },
      { id: 'two', dueAt: 1_750_000_000_001, headers: [] },
    ];
    const body = { ...schedule, ...several[0], entries: several };
    const { stdout } = await entries({ status: 200, body }, 'get', 'visitor-7');
    expect(stdout.match(/^id +(one|two)$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/^header +trace: /m);
  });

  test('[Q2] asks for a proof, and for a key of any bytes, in any pipeline', async () => {
    await entries({ status: 200, body: LIVE }, 'get', '/wA6', '--base64', '--proof', 'now', '--pipeline', 'a/b');
    expect(asked).toEqual(['GET /api/v1/entries/a%2Fb/%FF%00%3A?proof=now']);
  });

  test('[Q1][N3] asks for the only pipeline, beside which one keeps what waits for webhooks', async () => {
    pipelines = { pipelines: [{ name: 'visits' }, { name: 'visits.deliveries', deliveriesOf: 'visits' }] };
    const { exitCode } = await entries({ status: 200, body: LIVE }, 'get', 'visitor-7');
    pipelines = VISITS;
    expect([exitCode, asked]).toEqual([0, ['GET /api/v1/entries/visits/visitor-7']]);
  });

  test.each(['.', '..'])('[Q1] asks for the key %s, which no path can name', async (key) => {
    const { exitCode, stdout } = await entries(
      { status: 200, body: { entries: [NONE] } },
      'get',
      key,
      '--proof',
      'now',
    );
    const base64 = Buffer.from(key).toString('base64');
    expect(asked).toEqual(['POST /api/v1/entries/visits:lookup']);
    expect(bodies).toEqual([JSON.stringify({ keys: [{ base64 }], proof: 'now' })]);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('no session has this key')]);
  });

  test('[Q1][Q2] exits with 1 where a none is proved, and with 3 where it is not known', async () => {
    const none = await entries({ status: 404, body: NONE }, 'get', 'visitor-7');
    expect([none.exitCode, none.stdout]).toEqual([1, expect.stringContaining('no session has this key')]);
    const moving = await entries({ status: 503, body: MOVING }, 'get', 'visitor-7');
    expect([moving.exitCode, moving.stdout]).toEqual([3, expect.stringContaining('moving: it is being assigned')]);
    const json = await entries({ status: 503, body: MOVING }, 'get', 'visitor-7', '--json');
    expect([json.exitCode, json.json()]).toEqual([3, [MOVING]]);
  });

  test('[I4] exits with 2 where the question is refused, in the words of the processor', async () => {
    const refused = await entries({ status: 400, body: { error: 'input.partitioner is "any"' } }, 'get', 'k');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('input.partitioner is "any"')]);
    const proof = await entries({ status: 200, body: LIVE }, 'get', 'k', '--proof', 'soon');
    expect([proof.exitCode, asked]).toEqual([2, []]);
    expect((await entries({ status: 200, body: LIVE }, 'get', 'k', '--base64')).exitCode).toBe(2);
  });

  test('[Q1] exits with 3 where the processor does not know its pipelines yet', async () => {
    const opening = { status: 503, body: { error: 'the pipelines are being opened' } };
    expect(await entries(opening, 'get', 'k')).toMatchObject({ exitCode: 3 });
    // The first of two that it opens: none has joined its group.
    pipelines = { pipelines: [{ name: 'visits', instances: [], partitions: [], standbys: [] }] };
    const starting = await entries({ status: 200, body: LIVE }, 'get', 'k');
    pipelines = VISITS;
    expect([starting.exitCode, starting.stderr]).toEqual([3, expect.stringContaining('has not joined its group yet')]);
  });
});

describe('an address of something else', () => {
  const other = { status: 404, body: { error_code: 40_401, message: 'HTTP 404 Not Found' } };
  const what = expect.stringMatching(
    /^flatline: http:\/\/127\.0\.0\.1:\d+ is not a Flatline processor: it answered 404 with/,
  );
  const acts = ['evict', '--attribute', 'a', '--equals', 'b'];

  test.each([[['get', 'k']], [['get', '.']], [['list']], [acts]])(
    '[I4] is named by %j, which exits with 2',
    async (words) => {
      const { exitCode, stdout, stderr } = await entries(other, ...words);
      expect([exitCode, stdout, stderr]).toEqual([2, '', what]);
      const named = await entries({ status: 404, body: [] }, ...words);
      expect([named.exitCode, named.stdout, named.stderr]).toEqual([2, '', what]);
    },
  );

  test('[I4] is named where it knows no pipelines', async () => {
    pipelines = other.body;
    const { exitCode, stderr } = await entries(other, 'list');
    pipelines = { error: 'Not Found' };
    const refused = await entries(other, 'list');
    pipelines = VISITS;
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/ is not a Flatline processor: it answered 200 with/),
    ]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^flatline: http:\/\/127\.0\.0\.1:\d+ answers 200 \(Not Found\)/),
    ]);
  });
});

describe('entries list', () => {
  test('[Q1] shows a page of what lives, and how to go on', async () => {
    const words = ['--prefix', 'eu/', '--attribute', 'gateway=g 7', '--limit', '2', '--after', '1.0'];
    const { exitCode, stdout } = await entries({ status: 200, body: PAGE }, 'list', ...words);
    expect(exitCode).toBe(0);
    expect(asked).toEqual(['GET /api/v1/entries/visits?prefix=eu%2F&attribute=gateway%3Dg%207&limit=2&after=1.0']);
    expect(stdout).toMatch(/^visitor-7 /m);
    expect(stdout).toContain('2 entries; more behind --after 3.17');
  });

  test('[Q1] prints each entry, and behind them the rest of the answer', async () => {
    const run = await entries({ status: 200, body: PAGE }, 'list', '--json');
    const { entries: rows, ...rest } = PAGE;
    expect(asked).toEqual(['GET /api/v1/entries/visits?limit=100']);
    expect(run.json()).toEqual([...rows, { ...rest, kind: 'summary', listed: 2 }]);
  });

  test('[Q1] exits with 3 where partitions are missing, and names them', async () => {
    const unanswered = [{ partition: 1, state: 'moving', owner: 'b', detail: 'b does not answer' }];
    const { exitCode, stderr } = await entries({ status: 200, body: { ...PAGE, unanswered } }, 'list');
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('partition 1 is missing: b does not answer')]);
  });

  test('[I4] exits with 2 where an attribute has no value', async () => {
    const { exitCode } = await entries({ status: 200, body: PAGE }, 'list', '--attribute', 'gateway');
    expect([exitCode, asked]).toEqual([2, []]);
  });
});
