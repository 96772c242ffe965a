// Refusals before a route is reached, in our own words: { "error": … } as everywhere else.
import { messageOf } from '@flatline/base';
import { BATCH_BYTES_MAX } from './record-batch.ts';
import { Refused } from './refused.ts';
import type { FastifyError, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';

export interface Limits {
  readonly eventBytesMax: number;
  readonly perSecondMax: number;
}

type Answer = { readonly code: number; readonly error: string };

/** For errors of Fastify and its plugins; any other is a defect, and the caller may try again. */
function answerTo(error: FastifyError, { headers, url, routeOptions }: FastifyRequest, limits: Limits): Answer {
  if (error instanceof Refused) return { code: error.code, error: error.message };
  const { statusCode: code = 500 } = error;
  if (code === 413) {
    const { bodyLimit } = routeOptions;
    const bytes = headers['content-length'];
    const size = bytes === undefined ? 'is too long' : `has ${bytes} bytes`;
    if (bodyLimit === BATCH_BYTES_MAX) return { code, error: `the batch ${size}, and at most ${bodyLimit} are taken` };
    return { code, error: `the event ${size}, and at most ${limits.eventBytesMax} are taken (ingest.maxEventBytes)` };
  }
  if (code === 429) {
    const { perSecondMax } = limits;
    return { code, error: `at most ${perSecondMax} requests a second of one address are taken (ingest.maxPerSecond)` };
  }
  if (error.code === 'FST_ERR_BAD_URL') return { code, error: `the address is not valid: ${url}` };
  return { code, error: messageOf(error) };
}

export function onError(limits: Limits) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { code, error: said } = answerTo(error, request, limits);
    return reply.code(code).send({ error: said });
  };
}

/** Errors before any hook: addresses that are none. */
export function frameworkErrors(limits: Limits): NonNullable<FastifyServerOptions['frameworkErrors']> {
  return (error, request, reply) => {
    void onError(limits)(error, request, reply);
  };
}
