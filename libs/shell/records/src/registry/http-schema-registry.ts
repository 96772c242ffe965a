// A schema registry over Confluent's HTTP API (Confluent, Apicurio, Karapace, Redpanda).
//
// Four requests, made here and not by @kafkajs/confluent-schema-registry 3.9: its `register` reads the subject's
// compatibility, refuses to go on unless it is BACKWARD, and sets it on a subject that is new (there is no `updateConfig`
// in 3.x); its requests have no time limit; and it parses every schema with its own options before giving it out.
import { Fatal, Retriable, type Clock } from '@flatline/base';
import { excerpt } from '../bad-input.ts';
import { REGISTRY_ANSWER_BYTES_MAX, REGISTRY_TIMEOUT_MS } from '../limits.ts';
import type { RegisteredSchema, SchemaRegistry } from './schema-registry.ts';

const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json';
/** `error_code` of a 404 that is about what was asked for, and not about the address. */
const SUBJECT_NOT_FOUND = 40401;
const SCHEMA_NOT_FOUND = 40403;

export interface HttpSchemaRegistryOptions {
  /** `http(s)://[user:password@]host[:port][/path]`; Apicurio's path is `/apis/ccompat/v7`. */
  readonly url: string;
  readonly clock: Clock;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export class HttpSchemaRegistry implements SchemaRegistry {
  readonly name: string;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #clock: Clock;

  /** @throws Fatal where the URL is none. */
  constructor(options: HttpSchemaRegistryOptions) {
    const { base, authorization } = parseUrl(options.url);
    this.name = base;
    this.#base = base;
    this.#clock = options.clock;
    this.#headers = {
      Accept: `${CONTENT_TYPE}, application/json`,
      ...(authorization && { Authorization: authorization }),
    };
  }

  async schemaById(id: number): Promise<RegisteredSchema | undefined> {
    const { status, body } = await this.#request('GET', `/schemas/ids/${id}`);
    if (status === 404 && body['error_code'] === SCHEMA_NOT_FOUND) return undefined;
    const schema = body['schema'];
    // Not Fatal: this comes from a record, at any time, and its partition can wait for what an operator has to mend.
    if (status !== 200 || typeof schema !== 'string')
      throw new Retriable(this.#refusal(`schema ${id}`, { status, body }));
    const schemaType = body['schemaType'];
    return { schema, schemaType: typeof schemaType === 'string' ? schemaType : 'AVRO' };
  }

  async schemaId(subject: string, schema: string): Promise<number> {
    const path = `/subjects/${encodeURIComponent(subject)}`;
    const found = await this.#request('POST', path, { schema });
    const unknown = [SUBJECT_NOT_FOUND, SCHEMA_NOT_FOUND].includes(found.body['error_code'] as number);
    const answer =
      found.status === 404 && unknown ? await this.#request('POST', `${path}/versions`, { schema }) : found;
    const id = answer.body['id'];
    if (answer.status === 200 && typeof id === 'number') return id;
    if (answer.status !== 409) throw new Fatal(this.#refusal(`subject ${subject}`, answer));
    throw new Fatal(
      `The schema registry at ${this.name} holds a schema under ${subject} that ours is not compatible with ` +
        `(${reasonOf(answer)}). Give the output another topic, or change the subject's compatibility.`,
    );
  }

  async check(): Promise<void> {
    const answer = await this.#request('GET', '/schemas/types');
    if (answer.status !== 200) throw new Fatal(this.#refusal('its schema types', answer));
  }

  async #request(method: 'GET' | 'POST', path: string, content?: object): Promise<Answer> {
    const controller = new AbortController();
    const cancel = this.#clock.after(REGISTRY_TIMEOUT_MS, () => {
      controller.abort();
    });
    try {
      const response = await fetch(this.#base + path, {
        method,
        headers: content === undefined ? this.#headers : { ...this.#headers, 'Content-Type': CONTENT_TYPE },
        ...(content !== undefined && { body: JSON.stringify(content) }),
        signal: controller.signal,
      });
      const answer = { status: response.status, body: parseBody(await boundedText(response)) };
      if (answer.status >= 500 || answer.status === 429) throw new Retriable(this.#refusal(path, answer));
      return answer;
    } catch (error) {
      if (error instanceof Retriable) throw error;
      const why = controller.signal.aborted ? `no answer within ${REGISTRY_TIMEOUT_MS} ms` : causeOf(error);
      throw new Retriable(
        `The schema registry at ${this.name} cannot be reached (${why}). Start it, or correct SCHEMA_REGISTRY_URL.`,
        error,
      );
    } finally {
      cancel();
    }
  }

  #refusal(what: string, answer: Answer): string {
    const remedy =
      answer.status === 401 || answer.status === 403
        ? 'Put a user and password it accepts into SCHEMA_REGISTRY_URL.'
        : 'Check that SCHEMA_REGISTRY_URL is the address of its Confluent API (Apicurio: with /apis/ccompat/v7).';
    return `The schema registry at ${this.name} answered ${answer.status} when asked for ${what} (${reasonOf(answer)}). ${remedy}`;
  }
}

function parseUrl(text: string): { base: string; authorization: string | undefined } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // Not shown whole: it may hold a password.
    throw new Fatal(`SCHEMA_REGISTRY_URL is not an address: wanted http(s)://[user:password@]host[:port][/path].`);
  }
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  const base = url.href.replace(/\/+$/, '');
  if (username === '' && password === '') return { base, authorization: undefined };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { base, authorization: `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` };
}

/** The answer's text. An answer beyond the bound is cut, which no JSON survives. */
async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > REGISTRY_ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, REGISTRY_ANSWER_BYTES_MAX).toString('utf8');
}

/** Answers that are not JSON objects have no members; what they lack is missed where it is needed. */
function parseBody(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  } catch {
    return { message: text };
  }
}

function reasonOf({ body }: Answer): string {
  return typeof body['message'] === 'string' ? excerpt(body['message']) : 'no reason given';
}

/** Node puts what happened into the cause of `fetch failed`. Told by its members: it may be of another realm. */
function causeOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown };
  const { code, message } = cause as { readonly code?: string; readonly message?: string };
  return code ?? message ?? String(cause);
}
