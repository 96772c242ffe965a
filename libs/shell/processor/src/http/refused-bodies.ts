// Bodies that the framework does not take: refused in our own words, { "error": … }, as everywhere else; but an empty one is none.
import { messageOf } from '@flatline/base';
import type { FastifyError, FastifyInstance } from 'fastify';

const WORDS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the body is JSON: send it with the header content-type: application/json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'the body is no JSON',
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body has more than 1 MiB',
};

export function sayInOurWords(server: FastifyInstance): void {
  server.setErrorHandler<FastifyError>((error, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: WORDS[error.code] ?? messageOf(error) }),
  );
}

/** Many clients say `content-type: application/json` with each request: where a body may be left out, an empty one is left out. */
export function takeEmptyBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null);
    else void parse(request, body, done);
  });
}
