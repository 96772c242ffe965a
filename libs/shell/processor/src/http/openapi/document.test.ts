// The document is a valid one, it names every route and no other, and answers are as it says.
import { expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { instances, pipeline, serve, standby, task } from '../http.fixture.ts';
import { ROUTE_ROLES } from '../route-roles.ts';
import { openapiDocument } from './document.ts';
import { OPERATIONS } from './operations.ts';
import { SCHEMAS } from './schemas.ts';

/** Asked by instances alone. */
const INTERNAL = 'POST /api/v1/entries-page/:pipeline';

test('is an OpenAPI document', async () => {
  const { valid, errors } = await new Validator().validate({ ...openapiDocument('1.2.3', ROUTE_ROLES) });
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
});

test('[H2] names every route that is registered, with the role that it asks for, and no other', () => {
  const named = new Set(OPERATIONS.map(({ route }) => route));
  expect([...named].sort()).toEqual(
    Object.keys(ROUTE_ROLES)
      .filter((route) => route !== INTERNAL)
      .sort(),
  );
  const paths = openapiDocument('1', ROUTE_ROLES)['paths'] as Record<string, Record<string, { summary: string }>>;
  expect(paths['/api/v1/entries/{pipeline}:evict']!['post']!.summary).toMatch(/\(admin\)$/);
  expect(paths['/livez']!['get']!.summary).not.toMatch(/\)$/);
});

const pipelines = [
  pipeline({ tasks: [task({}), task({ partition: 1, state: 'stopped' })], standbys: [standby], instances }),
];

test.each([
  ['/livez', 200],
  ['/startupz', 200],
  ['/readyz', 503],
  ['/api/v1/pipelines', 200],
  ['/api/v1/partitions', 200],
  ['/api/v1/workers', 200],
  ['/api/v1/probes', 200],
  ['/api/v1/stats/visits', 200],
  ['/api/v1/stats/nowhere', 404],
  ['/api/v1/owners/visits', 200],
  ['/api/v1/owners/nowhere', 400],
  ['/api/v1/entries/visits/visitor-7', 400],
  ['/api/v1/entries/visits/visitor-7?proof=then', 400],
  ['/api/v1/entries/visits?limit=0', 400],
  ['/api/v1/events/visits', 400],
  ['/api/v1/dead-letters/nowhere', 404],
])('%s answers %i as it says', async (path, status) => {
  const answer = await (await serve(pipelines))(path);
  expect(answer.status).toBe(status);
  const schema = schemaOf(path.split('?')[0]!, status);
  expect(schema).toBeDefined();
  expect(violations(schema!, await answer.json())).toEqual([]);
});

test('an answer that lacks a field is none of those that it says', () => {
  expect(violations('Live', {})).toEqual([" must have required property 'live'"]);
});

test('is served', async () => {
  const answer = await (await serve(pipelines))('/api/v1/openapi.json');
  expect(await answer.json()).toMatchObject({ openapi: '3.1.1', info: { title: 'Flatline' } });
});

/** The schema for a GET of this path. */
function schemaOf(path: string, status: number): string | undefined {
  const found = OPERATIONS.find((each) => {
    const pattern = each.path.replaceAll(/[.:]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/:]+');
    return each.route.startsWith('GET ') && new RegExp(`^${pattern}$`).test(path);
  });
  const answer = found?.answers[status];
  return answer !== undefined && 'schema' in answer ? answer.schema : undefined;
}

function violations(schema: string, body: unknown): string[] {
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ $id: 'openapi', components: { schemas: SCHEMAS } });
  ajv.validate({ $ref: `openapi#/components/schemas/${schema}` }, body);
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}
