// The operations, by the path that a caller writes; `route` is where the router finds it (entry-paths.ts).
import { KIND_WORDS } from '@flatline/kind-modules/words';
import { ACT_ON_ALL, ACT_ON_KEY, BY_KEY, LIST, LOOK_UP } from '../../directory/entry-paths.ts';
import { type Schema, type SCHEMAS, text, whole } from './schemas.ts';

export interface Operation {
  readonly route: string;
  readonly path: string;
  readonly summary: string;
  readonly query?: readonly QueryParameter[];
  readonly body?: { readonly schema: keyof typeof SCHEMAS; readonly isRequired: boolean };
  /** By status: a schema of these, or the media type of what is no JSON. */
  readonly answers: Readonly<Record<number, Answer>>;
}

export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
}

export type Answer = { readonly schema: keyof typeof SCHEMAS } | { readonly media: string };

const refused = { 400: { schema: 'Error' }, 503: { schema: 'Error' } } as const;
const ENTRIES = '/api/v1/entries/{pipeline}';
const proof: QueryParameter = {
  name: 'proof',
  description: 'now: as of all that was acknowledged before the question',
  schema: { const: 'now' },
};
const acts = [...new Set(Object.values(KIND_WORDS).flatMap((words) => words.acts))].filter((act) => act !== 'evict');

const looks: readonly Operation[] = [
  file('/', 'The dashboard, a page for a browser', 'text/html'),
  file('/dashboard.js', "The dashboard's script", 'text/javascript'),
  file('/dashboard.css', "The dashboard's style", 'text/css'),
  probe('/livez', 'Whether the process lives', 'Live'),
  probe('/startupz', 'Whether it has once run all that it was assigned', 'Started'),
  probe('/readyz', 'Whether all that it was assigned runs, and why not', 'Ready'),
  {
    route: 'GET /metrics',
    path: '/metrics',
    summary: "Metrics in Prometheus' text format",
    answers: { 200: { media: 'text/plain' } },
  },
  look('pipelines', 'Pipelines, their groups and instances', 'Pipelines'),
  look('partitions', 'Partitions that are owned here, and standbys', 'Partitions'),
  look('workers', 'Worker processes', 'Workers'),
  {
    route: 'GET /api/v1/watch',
    path: '/api/v1/watch',
    summary: "What the dashboard shows, as it changes: lines of JSON, in a form that is the page's own",
    answers: { 200: { media: 'application/x-ndjson' }, 503: { schema: 'Error' } },
  },
  look('probes', 'How far probes get, by partition', 'Probes'),
  {
    route: 'GET /api/v1/stats/:pipeline',
    path: '/api/v1/stats/{pipeline}',
    summary: 'The newest windows of statistics that are over, by length',
    answers: { 200: { schema: 'Stats' }, 404: { schema: 'Error' } },
  },
  {
    route: 'GET /api/v1/dead-letters/:pipeline',
    path: '/api/v1/dead-letters/{pipeline}',
    summary: 'Records that could not be applied, the newest first, without their values',
    query: [{ name: 'limit', description: '100 by default', schema: { ...whole, minimum: 1, maximum: 1_000 } }],
    answers: { 200: { schema: 'DeadLetters' }, 404: { schema: 'Error' }, ...refused },
  },
  {
    route: 'GET /api/v1/owners/:pipeline',
    path: '/api/v1/owners/{pipeline}',
    summary: 'Who has each partition, and who stands by',
    answers: { 200: { schema: 'Owners' }, ...refused },
  },
];

const entries: readonly Operation[] = [
  {
    route: `GET ${BY_KEY}`,
    path: `${ENTRIES}/{key}`,
    summary: "One key's entry: 200 live, 404 a proven none, 503 moving or restoring",
    query: [proof],
    answers: { 200: { schema: 'Entry' }, 404: { schema: 'Entry' }, 400: { schema: 'Error' }, 503: { schema: 'Entry' } },
  },
  {
    route: `POST ${LOOK_UP}`,
    path: `${ENTRIES}:lookup`,
    summary: 'Up to 100 keys at once, answered in their order',
    body: { schema: 'LookUp', isRequired: true },
    answers: { 200: { schema: 'Entries' }, ...refused },
  },
  {
    route: `GET ${LIST}`,
    path: ENTRIES,
    summary: 'Entries, page after page',
    query: [
      { name: 'prefix', description: 'of the key', schema: text },
      { name: 'attribute', description: 'NAME=VALUE', schema: text },
      { name: 'limit', description: '100 by default', schema: { ...whole, minimum: 1, maximum: 1_000 } },
      { name: 'after', description: 'as the page before has it', schema: text },
    ],
    answers: { 200: { schema: 'List' }, ...refused },
  },
  {
    route: 'GET /api/v1/events/:pipeline',
    path: '/api/v1/events/{pipeline}',
    summary: 'Server-sent events of a key, a prefix or all (docs/PUSH.md)',
    query: [
      { name: 'key', description: 'this key alone', schema: text },
      { name: 'prefix', description: 'keys that begin so', schema: text },
      { name: 'cursor', description: 'goes on from there, as the header Last-Event-ID does', schema: text },
    ],
    answers: { 200: { media: 'text/event-stream' }, ...refused },
  },
];

const changes: readonly Operation[] = [
  ...acts.map((act): Operation => ({
    route: `POST ${ACT_ON_KEY}`,
    path: `${ENTRIES}/{key}:${act}`,
    summary: `${act}: of ${kindsWith(act)}; answered once it is in the log`,
    body: { schema: 'ActOnSchedule', isRequired: false },
    answers: { 202: { schema: 'Act' }, ...refused },
  })),
  {
    route: `POST ${ACT_ON_ALL}`,
    path: `${ENTRIES}:evict`,
    summary: `Ends all that have an attribute with the value: of ${kindsWith('evict')}`,
    body: { schema: 'Evict', isRequired: true },
    answers: { 202: { schema: 'Eviction' }, ...refused },
  },
  {
    route: 'POST /api/v1/dead-letters/:pipeline/replay',
    path: '/api/v1/dead-letters/{pipeline}/replay',
    summary: 'Sends dead letters back to their input; what was replayed before is left out',
    body: { schema: 'Places', isRequired: true },
    answers: { 202: { schema: 'Replay' }, 404: { schema: 'Error' }, ...refused },
  },
  {
    route: 'POST /api/v1/partitions/:pipeline/:partition/restart',
    path: '/api/v1/partitions/{pipeline}/{partition}/restart',
    summary: 'Has a stopped partition try again',
    answers: { 202: { schema: 'Restart' }, 404: { schema: 'Restart' }, 409: { schema: 'Restart' } },
  },
];

/** Every operation but that by which instances ask each other for pages. */
export const OPERATIONS: readonly Operation[] = [
  ...looks,
  ...entries,
  ...changes,
  {
    route: 'GET /api/v1/openapi.json',
    path: '/api/v1/openapi.json',
    summary: 'This document',
    answers: { 200: { media: 'application/json' } },
  },
];

function probe(path: string, summary: string, schema: keyof typeof SCHEMAS): Operation {
  return { route: `GET ${path}`, path, summary, answers: { 200: { schema }, 503: { schema } } };
}

function file(path: string, summary: string, media: string): Operation {
  return { route: `GET ${path}`, path, summary, answers: { 200: { media }, 404: { schema: 'Error' } } };
}

function look(name: string, summary: string, schema: keyof typeof SCHEMAS): Operation {
  const path = `/api/v1/${name}`;
  return { route: `GET ${path}`, path, summary, answers: { 200: { schema } } };
}

function kindsWith(act: string): string {
  const words = Object.values(KIND_WORDS).filter(({ acts: of }) => of.some((each) => each === act));
  return words.map(({ noun }) => `${noun}s`).join(', ');
}
