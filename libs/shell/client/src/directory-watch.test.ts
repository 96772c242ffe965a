// A subscription tells of instances that give it nothing: it goes on, and not in silence.
import { messageOf } from '@flatline/base';
import { ManualClock } from '@flatline/base/manual-clock';
import { expect, test } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { DirectoryPipeline } from './directory-pipeline.ts';
import { type DirectoryChange, watching } from './directory-watch.ts';
import type { WatchTrouble } from './instance-troubles.ts';

type Answered = (signal: AbortSignal) => Promise<IncomingMessage>;

const A = 'http://a:7070';
const B = 'http://b:7070';
const REFUSED: Answered = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:7070'));
const silent: Answered = (signal) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('The operation was aborted'));
    });
  });
const answer =
  (statusCode: number, text = '', headers = {}): Answered =>
  () =>
    Promise.resolve(Object.assign(Readable.from([Buffer.from(text)]), { statusCode, headers }) as never);
const SUBSCRIBED = 'event: subscribed\nid: 1\ndata: {}\n\n';
const GOOD = answer(200, SUBSCRIBED, { 'content-type': 'text/event-stream' });

/** Follows `answers`, those of each address in turn; then whoever watches stops. */
async function watched(answers: Readonly<Record<string, readonly Answered[]>>, everyMs = 1_000) {
  const clock = new ManualClock();
  const ending = new AbortController();
  const left = new Map(Object.entries(answers).map(([url, each]) => [url, [...each]]));
  const troubles: WatchTrouble[] = [];
  const changes: DirectoryChange[] = [];
  const stream = (url: string, _path: string, { signal }: { readonly signal: AbortSignal }) => {
    const next = left.get(url)!.shift();
    if (next !== undefined) return next(signal);
    ending.abort();
    return Promise.reject(new Error('whoever watches has stopped'));
  };
  const parts = {
    pipeline: new DirectoryPipeline('visits', () => Promise.reject(new Error('it is known'))),
    query: 'key=anna',
    urls: () => [...left.keys()],
    access: { stream },
    clock,
    timeoutMs: 2_000,
    onTrouble: (trouble: WatchTrouble) => void troubles.push(trouble),
    signal: ending.signal,
  };
  const done = (async () => {
    for await (const change of watching(parts)) changes.push(change);
  })();
  const ended = { isDone: false };
  const over = done.finally(() => (ended.isDone = true));
  // Looked at below: until then it is handled.
  over.catch(() => undefined);
  // Far more turns than any of these tests takes.
  for (let turn = 0; !ended.isDone && turn < 1_000; turn += 1) {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    clock.advance(everyMs);
  }
  await over;
  return { troubles, changes };
}

test('[Q3] an address at which nothing listens is said at once, with what to look at, and asked again', async () => {
  const { troubles } = await watched({ [A]: [REFUSED, REFUSED, REFUSED] });
  expect(troubles).toEqual([{ kind: 'connection', url: A, message: expect.any(String) }]);
  expect(troubles[0]!.message).toBe(
    `${A} gives no events of pipeline visits: connect ECONNREFUSED 10.0.0.1:7070. It is asked again: see that urls of directory has ` +
      'the addresses of processors (http.host and http.port), and that they run',
  );
});

test('[Q3] it is said again each half minute, and once more where it had answered in between', async () => {
  const rare = await watched({ [A]: [REFUSED, REFUSED, REFUSED] }, 30_000);
  expect(rare.troubles).toHaveLength(3);
  const between = await watched({ [A]: [REFUSED, GOOD, REFUSED] });
  expect(between.troubles).toHaveLength(2);
  expect(between.changes).toEqual([{ kind: 'subscribed' }]);
});

test('[Q3] each address is told of for itself; who ends a connection that gave events is asked again without a word', async () => {
  const { troubles, changes } = await watched({ [A]: [GOOD, GOOD], [B]: [REFUSED, REFUSED] });
  expect(troubles.map(({ url }) => url)).toEqual([B]);
  expect(changes).toHaveLength(2);
});

test.each<[string, Answered, string]>([
  ['says nothing', silent, 'no answer within 2000 ms'],
  ['asks for a token', answer(401), 'HTTP 401. It is asked again: give directory a token that has the role read'],
  ['knows the token, and not its role', answer(403), 'HTTP 403. It is asked again: give directory a token'],
  ['has no events', answer(404), 'HTTP 404. It is asked again: see that urls of directory'],
  ['is another server', answer(200, '<html></html>', { 'content-type': 'text/html' }), 'it answered with no event.'],
  ['is another server that refuses', answer(400, '<html></html>'), 'HTTP 400'],
])('[Q3] one that %s is told of', async (_what, given, why) => {
  const { troubles } = await watched({ [A]: [given] });
  expect(troubles.map(({ message }) => message)).toEqual([expect.stringContaining(why)]);
});

test('[Q3] one that says when to come is no trouble', async () => {
  const { troubles, changes } = await watched({ [A]: [answer(503, '', { 'retry-after': '3' }), GOOD] });
  expect([troubles, changes]).toEqual([[], [{ kind: 'subscribed' }]]);
});

test('[Q3] a question that is refused ends it, and is no trouble beside', async () => {
  const refused = answer(400, JSON.stringify({ error: 'there is no pipeline visits' }));
  const why = await watched({ [A]: [refused] }).catch((error: unknown) => messageOf(error));
  expect(why).toBe('there is no pipeline visits');
});
