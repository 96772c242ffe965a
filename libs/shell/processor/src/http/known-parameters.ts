// Parameters of a query, as the OpenAPI document has them: one that no route takes would be an answer to another question.
import { didYouMean } from '@flatline/base';
import type { FastifyInstance } from 'fastify';
import { OPERATIONS } from './openapi/operations.ts';

/** By route; the probes and metrics take whatever comes, since scrapers add parameters of their own. */
const KNOWN: ReadonlyMap<string, readonly string[]> = new Map(
  OPERATIONS.filter(({ path }) => path.startsWith('/api/')).map(({ route, query = [] }) => [
    route,
    query.map(({ name }) => name),
  ]),
);

/** Answers 400 for a parameter that the route does not take, before anything of the route is run. */
export function refuseUnknownParameters(server: FastifyInstance): void {
  server.addHook('preHandler', (request, reply, done) => {
    const { originalUrl, method, routeOptions } = request;
    const at = originalUrl.indexOf('?');
    const known = at < 0 ? undefined : KNOWN.get(`${method === 'HEAD' ? 'GET' : method} ${routeOptions.url ?? ''}`);
    const unknown =
      known === undefined ? undefined : namesIn(originalUrl.slice(at + 1)).find((name) => !known.includes(name));
    if (known === undefined || unknown === undefined) done();
    else void reply.code(400).send({ error: refusal(unknown, known) });
  });
}

function refusal(unknown: string, known: readonly string[]): string {
  const there = known.length === 0 ? 'there are none' : `there are ${known.join(', ')}`;
  return `there is no parameter ${unknown} here: ${there}${didYouMean(unknown, known)}`;
}

function namesIn(query: string): readonly string[] {
  return query
    .split('&')
    .map((each) => each.split('=')[0]!)
    .filter((name) => name !== '');
}
