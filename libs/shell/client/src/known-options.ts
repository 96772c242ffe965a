// The options and event fields of each call, as they are checked (check-options.ts).
import { KIND_NAMES } from '@flatline/base';
import { EVENT_SHAPE } from '@flatline/records/events';
import {
  BOOLEAN,
  checkArgument,
  checkFields,
  checkOptions,
  COUNT,
  FUNCTION,
  type Needed,
  OBJECT,
  objectOf,
  oneOf,
  required,
  TEXT,
  TIME,
  TIME_OR_NONE,
  type Wanted,
  WHOLE,
} from './check-options.ts';
import { EXTENSION_NAME, EXTENSION_TEXT, tokenEndpointProblem } from '@flatline/system';
import { DURATION, DURATION_OR_NONE, INSTANT, WAIT } from './check-times.ts';

const ADDRESSES: Wanted = {
  words: "an array of addresses, as ['127.0.0.1:9092']",
  is: (value) => Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'),
};
const URLS: Wanted = {
  words: "an array of HTTP addresses, as ['http://127.0.0.1:7070']",
  is: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((each: unknown) => /^https?:\/\/[^/\s]/.test(String(each))),
};
const PREFIX: Wanted = {
  words: 'text, or bytes (Uint8Array)',
  is: (value) => typeof value === 'string' || value instanceof Uint8Array,
};
/** As node:tls takes it and checks it itself, except for values that it would take for none. */
const OF_TLS: Wanted = {
  words: "PEM, the path of its file, or { file: '/etc/shop/tls.pem' }",
  is: (value) => [value].flat().every((each) => typeof each !== 'object' || each === null || !('env' in each)),
  isSecret: true,
};
/** Exists in a configuration; here it would be ignored silently. */
const NO_ENV: Wanted = { words: 'nothing: there is no such option of node:tls', is: () => false, isSecret: true };
const TLS: Wanted = {
  words: 'true, false or an object in the terms of node:tls',
  is: (value) => typeof value === 'boolean' || OBJECT.is(value),
  options: (value) => Object.fromEntries(Object.keys(value).map((name) => [name, name === 'env' ? NO_ENV : OF_TLS])),
};
const TLS_OBJECT: Wanted = { ...TLS, words: 'an object in the terms of node:tls', is: OBJECT.is };
const OPTIONAL_SECRET: Wanted = {
  isSecret: true,
  words: "text, or the name of its file as { file: '/etc/shop/password' }",
  is: (value) => TEXT.is(value) || TEXT.is((value as { readonly file?: unknown } | null | undefined)?.file),
};
const SECRET = required(OPTIONAL_SECRET);
const MECHANISM = required(oneOf('plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'));
const BY_PASSWORD = { mechanism: MECHANISM, username: required(TEXT), password: SECRET };
const isExtension = ([name, text]: readonly [string, unknown]): boolean =>
  EXTENSION_NAME.test(name) && typeof text === 'string' && EXTENSION_TEXT.test(text);
const BY_TOKEN = {
  mechanism: MECHANISM,
  tokenEndpoint: required({
    words: 'an address without user and password: https://…, or http://… on loopback',
    is: (value) => typeof value === 'string' && tokenEndpointProblem(value) === undefined,
  }),
  clientId: required(TEXT),
  clientSecret: SECRET,
  scope: TEXT,
  extensions: {
    words: 'an object of names in letters, none of them auth, and texts in ASCII',
    is: (value: unknown) => OBJECT.is(value) && Object.entries(value as object).every(isExtension),
  },
};
const SASL = objectOf((value) =>
  (value as { readonly mechanism?: unknown }).mechanism === 'oauthbearer' ? BY_TOKEN : BY_PASSWORD,
);
const FROM: Wanted = {
  words: "'beginning', 'end' or a Map of offsets",
  // By shape: a Map of another realm is no instance of this one's.
  is: (value) =>
    value === 'beginning' || value === 'end' || typeof (value as { get?: unknown } | null)?.get === 'function',
};
/** Leaves room within SOURCE_BYTES_MAX for the suffix that makes a name unique (`sender-sources.ts`). */
const SOURCE_NAME_BYTES_MAX = 40;
const SOURCE: Wanted = {
  words: `text of 1 to ${SOURCE_NAME_BYTES_MAX} bytes in UTF-8`,
  is: (value) =>
    typeof value === 'string' &&
    value !== '' &&
    value.isWellFormed() &&
    Buffer.byteLength(value) <= SOURCE_NAME_BYTES_MAX,
};
const ID = required({
  words: 'text or bytes (Uint8Array)',
  // By name: bytes of another realm are no instance of this one's, and neither a DataView nor other numbers are bytes.
  is: (value) => typeof value === 'string' || Object.prototype.toString.call(value) === '[object Uint8Array]',
});

const HEARTBEATS = {
  topic: required(TEXT),
  format: oneOf('json', 'avro'),
  deliveryTimeoutMs: TIME,
  onRefused: FUNCTION,
};
const OUTPUTS = {
  topic: required(TEXT),
  group: required(TEXT),
  from: oneOf('beginning', 'end'),
  format: oneOf('auto', 'json', 'avro'),
  commitIntervalMs: TIME_OR_NONE,
  signal: OBJECT,
  onUnreadable: FUNCTION,
  onTrouble: FUNCTION,
};
const RUNS = { ...OUTPUTS, onReceipt: FUNCTION };
const STATES: Wanted = {
  words: "an array of at least one of 'OPENED', 'UPDATED' and 'CLOSED'",
  is: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each: unknown) => each === 'OPENED' || each === 'UPDATED' || each === 'CLOSED'),
};
const VIEW = oneOf('first', 'all', 'final');
const SUMMARIES = { ...OUTPUTS, states: STATES, view: VIEW };
const OF_A_KIND = { ...RUNS, states: STATES, view: VIEW, kind: required(oneOf(...KIND_NAMES)) };
const RETRIES = objectOf({ attempts: COUNT, firstMs: TIME_OR_NONE, mostMs: TIME_OR_NONE });
const ACQUIRE = { timeoutMs: TIME, waitMs: TIME_OR_NONE, attributes: OBJECT, signal: OBJECT };
const HANDLING = { handler: required(FUNCTION), retries: RETRIES, deadLetterTopic: TEXT };
const OF_LEASES = { topic: required(TEXT), answers: required(TEXT), clockSkewMs: TIME_OR_NONE, answerWithinMs: TIME };
/** Leases that are open already have calls, and no options. */
const LEASES = objectOf((value) =>
  'acquire' in value ? Object.fromEntries(Object.keys(value).map((name) => [name, FUNCTION])) : OF_LEASES,
);
/** `known-options.test.ts` ties them to the interfaces, by the compiler. */
export const CALLS = {
  connect: {
    brokers: required(ADDRESSES),
    clientId: TEXT,
    ssl: TLS,
    sasl: SASL,
    schemaRegistryUrl: TEXT,
  },
  directory: {
    urls: required(URLS),
    pipeline: TEXT,
    timeoutMs: TIME,
    token: OPTIONAL_SECRET,
    ssl: TLS_OBJECT,
  },
  lookUp: { proof: oneOf('now') },
  evict: { attribute: required(TEXT), equals: required(TEXT) },
  watchKey: { signal: OBJECT, onTrouble: FUNCTION },
  watchAll: { prefix: PREFIX, signal: OBJECT, onTrouble: FUNCTION },
  list: { prefix: PREFIX, attribute: OBJECT, limit: COUNT, after: TEXT },
  heartbeats: HEARTBEATS,
  sessions: {
    ...HEARTBEATS,
    timeoutMs: required(TIME),
    bufferRecordsMax: COUNT,
    onDropped: FUNCTION,
    onFailure: FUNCTION,
  },
  session: { source: SOURCE },
  items: {
    topic: required(TEXT),
    deliveryTimeoutMs: TIME,
    onRefused: FUNCTION,
    bufferRecordsMax: COUNT,
    onDropped: FUNCTION,
  },
  push: { headers: OBJECT, waitMs: WAIT, maxWaitMs: WAIT, flush: BOOLEAN },
  schedules: { topic: required(TEXT), deliveryTimeoutMs: TIME, bufferRecordsMax: COUNT },
  add: {
    at: INSTANT,
    delay: DURATION_OR_NONE,
    every: DURATION,
    cron: TEXT,
    timeZone: TEXT,
    startAt: INSTANT,
    endAt: INSTANT,
    maxRuns: WHOLE,
    expires: DURATION_OR_NONE,
    jitter: DURATION_OR_NONE,
    id: TEXT,
    target: TEXT,
    reset: BOOLEAN,
    headers: OBJECT,
  },
  schedule: { id: TEXT },
  leases: OF_LEASES,
  summaries: {
    topic: required(TEXT),
    from: required(FROM),
    until: oneOf('end'),
    format: oneOf('auto', 'json', 'avro'),
  },
  outputs: OF_A_KIND,
  summariesOfGroup: SUMMARIES,
  completedSessions: OUTPUTS,
  leaseEvents: OUTPUTS,
  batches: OUTPUTS,
  runs: RUNS,
  handleOutputs: { ...OF_A_KIND, ...HANDLING },
  handleSummaries: { ...SUMMARIES, ...HANDLING },
  onClosed: { ...OUTPUTS, retries: RETRIES, deadLetterTopic: TEXT },
  handleCompletedSessions: { ...OUTPUTS, ...HANDLING },
  handleLeaseEvents: { ...OUTPUTS, ...HANDLING },
  handleBatches: { ...OUTPUTS, ...HANDLING },
  handleRuns: { ...RUNS, ...HANDLING },
  tasks: {
    group: required(TEXT),
    runs: TEXT,
    batches: TEXT,
    handler: required(FUNCTION),
    timeoutMs: DURATION,
    leases: LEASES,
    retries: objectOf({ attempts: WHOLE, firstMs: DURATION_OR_NONE, mostMs: DURATION_OR_NONE, schedules: TEXT }),
    results: TEXT,
    worker: TEXT,
    from: oneOf('beginning', 'end'),
    format: oneOf('auto', 'json', 'avro'),
    signal: OBJECT,
    onTrouble: FUNCTION,
  },
  acquire: ACQUIRE,
  resume: { signal: OBJECT },
  watch: { signal: OBJECT },
  runWhileLeader: { ...ACQUIRE, onNotGot: FUNCTION },
} satisfies Readonly<Record<string, Readonly<Record<string, Wanted | Needed>>>>;

/** `said`: what the application has called. @throws TypeError */
export function checkCall(call: keyof typeof CALLS, options: unknown, said: string = call): void {
  const example = call === 'connect' ? "brokers, as { brokers: ['127.0.0.1:9092'] }" : Object.keys(CALLS[call])[0]!;
  checkOptions(said, options, CALLS[call], example);
}

/** A schedule's id has at most 256 characters, of which partition, offset and attempt take the rest. */
const RUNS_LENGTH_MAX = 200;

/** Tasks come from one topic. @throws TypeError */
export function checkTasks(options: unknown): void {
  checkCall('tasks', options);
  const { runs, batches, retries } = options as { runs?: string; batches?: string; retries?: { schedules?: string } };
  if ((runs === undefined) === (batches === undefined))
    throw new TypeError(
      'tasks: give either runs, the output topic of schedules, or batches, that of a debounce pipeline',
    );
  if (batches !== undefined && retries?.schedules !== undefined)
    throw new TypeError('tasks: retries.schedules is for runs: a batch that is tried again waits with its worker');
  if (retries?.schedules !== undefined && runs!.length > RUNS_LENGTH_MAX)
    throw new TypeError(
      `tasks: retries.schedules takes runs of at most ${RUNS_LENGTH_MAX} characters, as ids of retries begin with it: leave it out, or name the topic shorter`,
    );
}

const EVENT_FIELDS = EVENT_SHAPE.map(({ name }) => name);
const AN_EVENT = "{ type: 'VIEW' }";
const START_FIELDS = EVENT_FIELDS.filter((name) => name !== 'type');

/** @throws TypeError */
export function checkEvent(event: unknown): void {
  checkFields('event', event, EVENT_FIELDS, AN_EVENT);
}

/** @throws TypeError */
export function checkStart(event: unknown): void {
  checkFields('start', event, START_FIELDS, "{ attributes: { page: '/' } }");
}

/** @throws TypeError */
export function checkSessionId(call: string, id: unknown): void {
  checkArgument(call, { name: 'the session id', value: id, wanted: ID });
}

/** @throws TypeError */
export function checkKey(call: string, key: unknown): void {
  checkArgument(call, { name: 'the key', value: key, wanted: ID });
}

/** @throws TypeError */
export function checkLeaseId(call: string, id: unknown): void {
  checkArgument(call, { name: 'the lease id', value: id, wanted: required(TEXT) });
}

const TOKEN: Needed = required({
  words: 'the token of the lease, a whole number, 1 or more',
  is: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 1,
});

/** @throws TypeError */
export function checkToken(call: string, token: unknown): void {
  checkArgument(call, { name: 'the token', value: token, wanted: TOKEN });
}

/** @throws TypeError */
export function checkFunction(call: string, name: string, value: unknown): void {
  checkArgument(call, { name, value, wanted: required(FUNCTION) });
}
