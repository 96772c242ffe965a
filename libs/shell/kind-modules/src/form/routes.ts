// The form of routes (P3): records of other topics that outputs bring about.
import { isPointer } from '@flatline/kinds/reducing';
import type { RouteFunction } from '@flatline/kinds/routing';
import { z } from 'zod';
import { durationOrNone, topic } from './setting.ts';

const ROUTES_MAX = 32;
const NAMES_MAX = 64;
const WHERE_MAX = 16;
const HEADERS_MAX = 32;
const VERSION_MAX = 1_000_000;
const TEXT_LENGTH_MAX = 4_096;
/** Bytes of what the settings of a commit say of routes. */
const TEXT_BYTES_MAX = 12_000;

const POINTER_IS = 'a JSON pointer into the output, as "/attributes/cart"';
const pointer = z.string().max(256).refine(isPointer, POINTER_IS);
const text = z.string().max(TEXT_LENGTH_MAX);

/** A text that begins with "/" leads into the output, and no other does. */
const routeText = z.union([
  text.refine((said) => !said.startsWith('/') || isPointer(said), POINTER_IS),
  z.strictObject({ text }),
  z.strictObject({ at: pointer, plusMs: durationOrNone.optional() }),
]);

/** Values that no JSON has: its schema takes none. */
export const routeFunction = z
  .unknown()
  .refine(
    (value) => typeof value === 'function',
    'a function of the output, in a configuration that is code',
  ) as z.ZodType<RouteFunction, RouteFunction>;

const route = z.strictObject({
  on: z.array(z.string().min(1)).min(1).max(NAMES_MAX).optional(),
  where: z
    .record(pointer, z.union([z.string().max(TEXT_LENGTH_MAX), z.number(), z.boolean(), z.null()]))
    .refine((of) => Object.keys(of).length <= WHERE_MAX, `at most ${WHERE_MAX} equalities`)
    .optional(),
  to: topic,
  key: routeText.optional(),
  value: routeText.nullable().optional(),
  headers: z
    .record(z.string().min(1).max(256), z.union([routeText, z.number()]))
    .refine((of) => Object.keys(of).length <= HEADERS_MAX, `at most ${HEADERS_MAX} headers`)
    .optional(),
  record: routeFunction.optional(),
  version: z.int().min(0).max(VERSION_MAX).optional(),
});

export const routesForm = z
  .array(route)
  .min(1)
  .max(ROUTES_MAX)
  .refine(
    (routes) => Buffer.byteLength(JSON.stringify(routes)) <= TEXT_BYTES_MAX,
    `at most ${TEXT_BYTES_MAX} bytes as JSON: each change of them is kept in the changelog`,
  );
