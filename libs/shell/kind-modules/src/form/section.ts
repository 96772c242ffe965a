// The form of one pipeline's section: settings of every kind around those of its own.
import { CHANGELOG_FORMAT, KEY_BYTES_MAX, type KindName } from '@flatline/base';
import { z } from 'zod';
import { attributesForm } from './attributes.ts';
import { routesForm } from './routes.ts';
import { duration, durationOrNone, topic } from './setting.ts';

/** Derived names add to it; Kafka's limit for a topic name is 249. */
export const NAME_LENGTH_MAX = 80;
/** No dot: `a.b` of `c` and `a` of `b.c` would share their topics and their group. */
const PIPELINE_NAME = /^[A-Za-z0-9_-]+$/;

/** In 1973. A smaller number was meant as seconds. */
const INSTANT_MIN = 100_000_000_000;
const INSTANT_HINT = 'too small for milliseconds since the epoch; seconds have to be multiplied by 1000';
/** ISO 8601 with a zone, or milliseconds since the epoch. */
const instant = z.union([
  z.int().min(INSTANT_MIN, INSTANT_HINT),
  z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
]);
const startFrom = z.union([z.enum(['earliest', 'latest']), z.strictObject({ timestamp: instant })], {
  error: '"earliest", "latest" or { "timestamp": milliseconds since the epoch, or ISO 8601 with a zone }',
});

const input = z.strictObject({
  topic,
  format: z.enum(['auto', 'json', 'avro']).default('auto'),
  timestampType: z.enum(['LogAppendTime', 'CreateTime']).default('LogAppendTime'),
  partitioner: z.enum(['murmur2', 'any']).default('murmur2'),
  touches: z.boolean().default(true),
  unknownKey: z.enum(['open', 'hold', 'deadLetter']).default('open'),
  holdMs: duration.optional(),
  attributes: attributesForm.optional(),
});

const HEAD = {
  name: z.string().max(NAME_LENGTH_MAX).regex(PIPELINE_NAME, 'letters, digits, "_" and "-"'),
  input: z.union([input, z.array(input).min(1)]),
  deadLetterTopic: topic.optional(),
};

const TAIL = {
  emit: z
    .array(z.enum(['opened', 'updated', 'closed']))
    .min(1)
    .default(['closed']),
  routes: routesForm.optional(),
  proof: z.enum(['record', 'fetch']).default('record'),
  proofIntervalMs: duration.default(100),
  closeDelayMs: z.int().min(0).max(60_000).default(20),
  clockSkewMs: durationOrNone.default(500),
  standbys: z.int().min(0).max(4).default(0),
  maxKeyBytes: z.int().min(1).max(KEY_BYTES_MAX).default(512),
  maxStateBytes: z.int().min(1_048_576).max(1_099_511_627_776).optional(),
  maxFutureMs: duration.default(3_600_000),
  maxLeadMs: duration.optional(),
  liveWithinMs: duration.default(300_000),
  tickMs: z.int().min(1).max(60_000).default(10),
  handoverMs: duration.default(10_000),
  stoppedRetryMs: durationOrNone.default(60_000),
  drainMs: durationOrNone.default(1_000),
  changelogFactor: z.number().min(2).max(100).default(4),
  changelogFormat: z.int().min(1).max(255).default(CHANGELOG_FORMAT),
  truncateLagMs: duration.default(600_000),
  truncateLagBytes: z.int().min(1_048_576).max(1_099_511_627_776).default(268_435_456),
  startFrom: startFrom.prefault('earliest'),
};

/** `tombstones`: whether the kind writes them unless it is told not to. */
function outputForm(tombstones: boolean) {
  return z.strictObject({
    topic,
    format: z.enum(['json', 'avro']).default('json'),
    // Packing of record batches, in Kafka's terms.
    compression: z.enum(['none', 'gzip', 'snappy', 'lz4', 'zstd']).default('gzip'),
    tombstones: z.boolean().default(tombstones),
  });
}

/** `own`: settings of the kind alone. A setting that is in neither is an error. */
export function sectionForm<const Kind extends KindName, Own extends z.ZodRawShape>(
  kind: Kind,
  own: Own,
  { tombstones = true }: { readonly tombstones?: boolean } = {},
) {
  const { name, ...head } = HEAD;
  return z.strictObject({ name, kind: z.literal(kind), ...head, output: outputForm(tombstones), ...own, ...TAIL });
}

/** Checks a section that is of no kind: settings of every kind. */
export const kindlessForm = z.strictObject({
  ...HEAD,
  kind: z.unknown().optional(),
  output: outputForm(true),
  ...TAIL,
});

/** A section as its kind finds it: settings of every kind, checked each by itself. */
export type AnySection = z.output<
  z.ZodObject<
    typeof HEAD & typeof TAIL & { kind: z.ZodLiteral<KindName>; output: ReturnType<typeof outputForm> },
    z.core.$strict
  >
>;
