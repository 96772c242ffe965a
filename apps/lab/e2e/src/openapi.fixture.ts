// Answers of a running processor beside the OpenAPI document that it serves.
import { expect } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fetchJson } from './metrics.fixture.ts';

/** As a caller writes it, and as the document does. */
export interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly documented: string;
  readonly status: number;
  readonly body?: object;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

interface Described {
  readonly responses: Readonly<
    Record<number, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

/** Asks each, and expects the status and a body that is valid by the document. */
export async function expectDocumented(address: string, all: readonly Asked[]): Promise<void> {
  const document = await fetchJson<Document>(address, '/api/v1/openapi.json');
  const ajv = new Ajv2020({ strict: false }).addSchema(document, 'document');
  for (const { method, path, documented, status, body } of all) {
    const response = await fetch(`${address}${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const said: unknown = await response.json();
    expect({ path, status: response.status, said }).toMatchObject({ path, status });
    const media = document.paths[documented]?.[method.toLowerCase()]?.responses[status]?.content['application/json'];
    expect({ documented, status, media }).toMatchObject({ media: { schema: expect.anything() } });
    const pointer = `document${(media!.schema as { readonly $ref: string }).$ref}`;
    ajv.validate({ $ref: pointer }, said);
    expect({ path, errors: ajv.errors ?? [] }).toEqual({ path, errors: [] });
  }
}
