// The HTTP API as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1), for generators of clients and for browsers of APIs.
import type { RouteRoles } from '@flatline/http';
import { type Answer, type Operation, OPERATIONS } from './operations.ts';
import { refTo, SCHEMAS, text } from './schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** `roles`: who may ask each route, which the document says of each operation. */
export function openapiDocument(version: string, roles: RouteRoles): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of OPERATIONS) {
    const [method = ''] = operation.route.split(' ');
    (paths[operation.path] ??= {})[method.toLowerCase()] = operationObject(operation, roles);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Flatline',
      version,
      description: 'Answers of a processor, or of the supervisor of several: docs/OPERATIONS.md.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: SCHEMAS,
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'where http.auth is set' } },
    },
  };
}

function operationObject({ route, path, summary, query = [], body, answers }: Operation, roles: RouteRoles): Json {
  const role = roles[route];
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: text,
  }));
  return {
    summary: role === 'open' ? summary : `${summary} (${role})`,
    // An empty requirement: none is needed where no tokens are configured, nor by a probe.
    security: [{ token: [] }, {}],
    parameters: [...inPath, ...query.map((each) => ({ ...each, in: 'query' }))],
    ...(body && { requestBody: { required: body.isRequired, content: jsonOf(body.schema) } }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, responseOf(status, answer)]),
    ),
  };
}

const MEANINGS: Readonly<Record<string, string>> = {
  200: 'The answer',
  202: 'It is in the log',
  400: 'It cannot be answered as it was asked, and why',
  404: 'There is none',
  409: 'It is in no state for that',
  503: 'It cannot be said or done now; where the header Retry-After is set, ask again after it. An act without it may be in the log: look before you ask again',
};

function responseOf(status: string, answer: Answer): Json {
  const content = 'schema' in answer ? jsonOf(answer.schema) : { [answer.media]: {} };
  return { description: MEANINGS[status], content };
}

function jsonOf(schema: keyof typeof SCHEMAS): Json {
  return { 'application/json': { schema: refTo(schema) } };
}
