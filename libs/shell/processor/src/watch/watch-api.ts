// Who watches over HTTP: a line of JSON for what has changed, at most two a second, until the connection ends (docs/DASHBOARD.md).
//
//   GET /api/v1/watch     of other instances, who name their group: what is here alone
import type { FastifyInstance } from 'fastify';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Clock } from '@flatline/base';
import { FORWARDED_HEADER } from '../directory/other-instances.ts';
import { HttpSink } from '../push/http-sink.ts';
import type { Watches } from './watches.ts';

const WATCH = '/api/v1/watch';
const LINES = 'application/x-ndjson; charset=utf-8';

interface WatchApi {
  readonly watches: Watches;
  /** Groups of its pipelines. */
  readonly groups: () => Promise<readonly string[]>;
  readonly clock: Pick<Clock, 'after'>;
}

export function addWatchApi(server: FastifyInstance, { watches, groups, clock }: WatchApi): void {
  server.get(WATCH, async (request, reply) => {
    if (request.method === 'HEAD') return reply.type(LINES).send();
    const group = request.headers[FORWARDED_HEADER];
    // An address outlives its instance, and loopback is another machine's: what is of another application is not ours.
    if (group !== undefined && !(await groups()).some((each) => each === group))
      return reply.code(400).send({ error: `this is no instance of the group ${String(group)}` });
    if (watches.isFull)
      return reply.code(503).header('retry-after', 10).send({ error: 'too many watch this instance: close a page' });
    reply.hijack();
    const response = reply.raw;
    response.on('error', () => undefined);
    response.writeHead(200, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-type': LINES,
      // nginx would hold lines back until its buffer is full.
      'x-accel-buffering': 'no',
    });
    const sink = new HttpSink(response, clock);
    // It may have left while it was let in.
    if (sink.isClosed) return reply;
    sink.onClosed = () => {
      watches.remove(sink);
    };
    watches.add(sink, group === undefined ? 'all' : 'own');
    return reply;
  });
}
