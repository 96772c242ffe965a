// Bodies of the HTTP API by their names, as JSON Schema 2020-12. Answers may get more fields in later versions.
import { KIND_NAMES } from '@flatline/base';

export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const whole: Schema = { type: 'integer' };
const count: Schema = { type: 'integer', minimum: 0 };
const truth: Schema = { type: 'boolean' };
/** By the partition's clock: milliseconds since 1970. */
const instant: Schema = { type: 'integer', description: 'milliseconds since 1970-01-01T00:00:00Z' };
const duration: Schema = { type: 'number', description: 'milliseconds' };
const texts = listOf(text);
const textsOrNone: Schema = { type: ['string', 'null'] };

export function refTo(name: keyof typeof SCHEMAS): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** All fields are there but those of `optional`. */
function record(fields: Readonly<Record<string, Schema>>, optional: Readonly<Record<string, Schema>> = {}): Schema {
  return { type: 'object', properties: { ...fields, ...optional }, required: Object.keys(fields) };
}

const key = {
  key: { type: 'string', description: 'as text; where its bytes are no UTF-8, keyBase64 has them' },
} as const;
const keyBase64 = { keyBase64: { type: 'string', contentEncoding: 'base64' } } as const;
const asOf = record({ clock: instant, position: whole });
const holder = record({ name: text, endpoint: text });
const moved = { partition: count, state: { enum: ['moving', 'restoring'] }, detail: text } as const;

const partitionFields = {
  pipeline: text,
  partition: count,
  role: { enum: ['owner', 'standby'] },
  owner: textsOrNone,
  standbys: texts,
  state: text,
  liveEntries: count,
  position: whole,
} as const;

const quantiles = {
  p50: { type: ['number', 'null'] },
  p90: { type: ['number', 'null'] },
  p99: { type: ['number', 'null'] },
};
const durations = record({
  count,
  sum: count,
  min: { type: ['integer', 'null'] },
  max: { type: ['integer', 'null'] },
  ...quantiles,
  sketch: { type: 'string', contentEncoding: 'base64' },
});
const counted = { opened: count, closed: count, active: count } as const;
const cell = record({
  dimensions: { type: 'object', additionalProperties: text },
  ...counted,
  byReason: { type: 'object', additionalProperties: count },
  duration: durations,
});
const statsWindow = record({
  windowStart: instant,
  windowEnd: instant,
  partitions: listOf(count),
  ...counted,
  cells: listOf(cell),
  truncated: truth,
});

const keyAsked: Schema = {
  oneOf: [text, { ...record({ base64: { type: 'string', contentEncoding: 'base64' } }), additionalProperties: false }],
};

export const SCHEMAS = {
  Error: record({ error: text }, { pipelines: texts, paths: texts }),
  Live: record({ live: truth }, { silences: texts }),
  Started: record({ started: truth }),
  Ready: record({ ready: truth }, { reasons: texts, warnings: texts }),
  Pipelines: record({
    instance: text,
    pipelines: listOf(
      record(
        {
          name: text,
          kind: { enum: KIND_NAMES },
          inputTopic: text,
          inputPartitions: count,
          outputTopic: text,
          group: text,
          ready: truth,
          partitions: listOf(count),
          standbys: listOf(count),
          liveEntries: count,
          damagedStores: count,
          storeErrors: count,
          instances: listOf(record({ name: text, partitions: listOf(count), standbys: listOf(count) })),
        },
        { timeoutMs: duration, interruption: text, failure: text, furtherInputTopics: texts, deliveriesOf: text },
      ),
    ),
  }),
  Partitions: record({
    instance: text,
    partitions: listOf(record(partitionFields, { worker: count, detail: text, clock: instant, lag: count })),
  }),
  Workers: record({
    instance: text,
    workers: listOf(
      record(
        { worker: count, instance: text, state: { enum: ['running', 'waiting', 'ended'] }, restarts: count },
        { pid: whole, lastEnd: text },
      ),
    ),
  }),
  Probes: record({
    instance: text,
    probes: listOf(
      record({
        pipeline: text,
        partition: count,
        owner: text,
        state: { enum: ['sound', 'stuck', 'silent', 'none'] },
        lastMs: { type: ['number', 'null'] },
        leg: textsOrNone,
        forMs: { type: ['number', 'null'] },
        waitsFor: textsOrNone,
      }),
    ),
  }),
  Stats: record({ instance: text, pipeline: text, windows: listOf(statsWindow) }),
  Owners: record({
    pipeline: text,
    partitionCount: count,
    partitions: listOf(
      record({ partition: count, owner: { oneOf: [holder, { type: 'null' }] }, standbys: listOf(holder) }),
    ),
  }),
  Entry: {
    ...record(
      {
        ...key,
        pipeline: text,
        kind: { enum: KIND_NAMES },
        state: { enum: ['live', 'none', 'moving', 'restoring'] },
        partition: count,
      },
      {
        ...keyBase64,
        asOf,
        from: { enum: ['owner', 'standby'] },
        lagMs: duration,
        owner: text,
        entries: listOf({ type: 'object' }),
        detail: text,
        retryAfterMs: duration,
      },
    ),
    description: 'beside these, where it is live, the fields of the entry, by the names of docs/FORMATS.md',
  },
  LookUp: record(
    { keys: { ...listOf(keyAsked), minItems: 1, maxItems: 100 } },
    { proof: { const: 'now', description: 'as of all that was acknowledged before' } },
  ),
  Entries: record({ entries: listOf({ $ref: '#/components/schemas/Entry' }) }),
  List: record(
    {
      pipeline: text,
      entries: listOf(record({ ...key, partition: count }, keyBase64)),
      asOf: listOf(record({ partition: count, clock: instant, position: whole })),
      unanswered: listOf(record(moved, { owner: text })),
    },
    { kind: { enum: KIND_NAMES }, after: text },
  ),
  ActOnSchedule: { ...record({}, { id: { type: 'string', minLength: 1 } }), additionalProperties: false },
  Evict: { ...record({ attribute: text, equals: text }), additionalProperties: false },
  Act: record({ pipeline: text, act: text, ...key, topic: text, partition: count, offset: whole }, keyBase64),
  Eviction: record({
    pipeline: text,
    act: text,
    attribute: text,
    equals: text,
    topic: text,
    records: listOf(record({ partition: count, offset: whole })),
  }),
  DeadLetters: record({
    pipeline: text,
    letters: listOf(
      record(
        {
          place: text,
          writtenAt: instant,
          reason: text,
          detail: text,
          valueBytes: { type: ['integer', 'null'] },
          origin: record({ topic: text, partition: count, offset: whole }),
          replays: count,
          isWhole: truth,
        },
        { ...key, ...keyBase64, keyBytes: count },
      ),
    ),
  }),
  Places: record({ places: listOf(text) }),
  Replay: record({
    pipeline: text,
    replayed: listOf(record({ place: text, topic: text, partition: count, offset: whole })),
    left: listOf(record({ place: text, why: text })),
  }),
  Restart: record({
    instance: text,
    pipeline: text,
    partition: text,
    outcome: { enum: ['restarted', 'notStopped', 'absent'] },
  }),
} as const satisfies Readonly<Record<string, Schema>>;
