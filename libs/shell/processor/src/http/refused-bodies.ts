// Refusals of the framework in our own words: { "error": … }, as everywhere else.
import { messageOf } from '@flatline/base';
import type { FastifyError, FastifyInstance } from 'fastify';

const WORDS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the body is JSON: send it with the header content-type: application/json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'the body is no JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'the body is empty: leave the header content-type out, or send JSON',
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body has more than 1 MiB',
};

export function sayInOurWords(server: FastifyInstance): void {
  server.setErrorHandler<FastifyError>((error, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: WORDS[error.code] ?? messageOf(error) }),
  );
}
