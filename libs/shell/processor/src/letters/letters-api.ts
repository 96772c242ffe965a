// Dead letters over HTTP:
//
//   GET  /api/v1/dead-letters/PIPELINE?limit=      the newest first; of a value its size alone, since it came past no gate (E1)
//   POST /api/v1/dead-letters/PIPELINE/replay      {"places": ["PARTITION/OFFSET", …]}
import { messageOf } from '@flatline/base';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { keyFields } from '../directory/entry-json.ts';
import { queryBytes } from '../directory/entry-paths.ts';
import type { LetterPlace } from './letter.ts';
import type { Scanned } from './letter-scan.ts';
import type { Letters } from './letters.ts';
import type { ListedLetter } from './listed-letter.ts';
import { NoSuchPartition } from './selection.ts';

const LIST = '/api/v1/dead-letters/:pipeline';
const REPLAY = '/api/v1/dead-letters/:pipeline/replay';
const LIMIT = 100;
const LIMIT_MAX = 1_000;
const PLACES_MAX = 500;

interface OfPipeline {
  readonly Params: { readonly pipeline: string };
}

type LettersApi = Pick<Letters, 'pipeline' | 'newest' | 'replay'>;

export function addLettersApi(server: FastifyInstance, letters: LettersApi): void {
  server.get<OfPipeline>(LIST, async ({ params, originalUrl }, reply) => {
    const pipeline = letters.pipeline(params.pipeline);
    if (pipeline === undefined) return unknown(params, reply);
    const text = queryBytes(originalUrl, 'limit')?.toString();
    const limit = text === undefined ? LIMIT : /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (limit < 1 || limit > LIMIT_MAX)
      return reply.code(400).send({ error: `limit is "${text ?? ''}": 1 to ${LIMIT_MAX} are listed at once` });
    try {
      const newest = await letters.newest(pipeline, limit);
      return await reply.send({ pipeline: pipeline.name, letters: newest.map(shown) });
    } catch (error) {
      return later(error, reply);
    }
  });
  server.post<OfPipeline & { readonly Body: unknown }>(REPLAY, async ({ params, body }, reply) => {
    const pipeline = letters.pipeline(params.pipeline);
    if (pipeline === undefined) return unknown(params, reply);
    const places = placesIn(body);
    if (places === undefined)
      return reply.code(400).send({
        error: `the body is {"places": ["PARTITION/OFFSET", …]}, 1 to ${PLACES_MAX} of them, as they are listed`,
      });
    try {
      const { replayed, left } = await letters.replay(pipeline, places);
      const went = replayed.map(({ partition, offset, topic, inputOffset }) => ({
        place: placeText({ partition, offset }),
        topic,
        partition,
        offset: inputOffset,
      }));
      const stayed = left.map(({ why, ...place }) => ({ place: placeText(place), why }));
      return await reply.code(202).send({ pipeline: pipeline.name, replayed: went, left: stayed });
    } catch (error) {
      if (error instanceof NoSuchPartition) return reply.code(400).send({ error: error.message });
      return later(error, reply);
    }
  });
}

function shown(letter: Scanned<ListedLetter>): object {
  const { partition, offset, writtenAt, key, keyBytes, reason, detail, valueBytes, origin, replays, isWhole } = letter;
  return {
    place: placeText({ partition, offset }),
    writtenAt,
    reason,
    detail,
    ...(key !== null && keyFields(key)),
    ...(keyBytes !== undefined && { keyBytes }),
    valueBytes,
    origin,
    replays,
    isWhole,
  };
}

function placeText({ partition, offset }: LetterPlace): string {
  return `${partition}/${offset}`;
}

/** undefined: it is no list of places. */
function placesIn(body: unknown): readonly LetterPlace[] | undefined {
  if (typeof body !== 'object' || body === null || !('places' in body) || !Array.isArray(body.places)) return undefined;
  const places = body.places.flatMap((each: unknown): LetterPlace[] => {
    const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(typeof each === 'string' ? each : '') ?? [];
    return offset === undefined ? [] : [{ partition: Number(partition), offset: Number(offset) }];
  });
  const isWholeList = places.length === body.places.length && places.length >= 1 && places.length <= PLACES_MAX;
  return isWholeList ? places : undefined;
}

function unknown({ pipeline }: OfPipeline['Params'], reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ error: `no pipeline ${pipeline}` });
}

/** Notes each replay with the letter: asked again, it is left out. */
function later(error: unknown, reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .header('retry-after', 1)
    .send({ error: messageOf(error) });
}
