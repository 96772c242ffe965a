// A schema registry over Confluent's HTTP API (Confluent, Apicurio, Karapace, Redpanda).
import type { ConnectionOptions } from 'node:tls';
import { Fatal, Retriable, type Clock, type DurationMs } from '@flatline/base';
import { excerpt } from '../bad-input.ts';
import { REGISTRY_ANSWER_BYTES_MAX, REGISTRY_RETRIES, REGISTRY_TIMEOUT_MS } from '../limits.ts';
import { boundedAgent } from './bounded-agent.ts';
import {
  ask,
  isPassing,
  type Answer,
  type AvroSchema,
  type RegistryAccess,
  type RegistryClient,
} from './registry-client.ts';
import type { RegisteredSchema, SchemaRegistry } from './schema-registry.ts';

/** `error_code` of a 404 that is about what was asked for, and not about the address. */
const SUBJECT_NOT_FOUND = 40401;
const SCHEMA_NOT_FOUND = 40403;
/** The highest there can be, which no registry has given yet. */
const PROBED_ID = 0x7fffffff;

export interface HttpSchemaRegistryOptions {
  /** `http(s)://[user:password@]host[:port][/path]`; Apicurio's path is `/apis/ccompat/v7`. */
  readonly url: string;
  readonly clock: Clock;
  /** Where the URL came from, for messages. Default: the environment's SCHEMA_REGISTRY_URL. */
  readonly setting?: string;
  /** Used where the URL has none. */
  readonly auth?: RegistryAccess['auth'];
  /** In the terms of node:tls, for https; certificates and keys as their PEM text. */
  readonly tls?: ConnectionOptions | undefined;
  readonly retries?: number;
  /** How long a question may take, its retries included. */
  readonly timeoutMs?: DurationMs;
}

export class HttpSchemaRegistry implements SchemaRegistry {
  readonly name: string;
  readonly #setting: string;
  readonly #access: RegistryAccess;

  /** @throws Fatal where the URL is none. */
  constructor(options: HttpSchemaRegistryOptions) {
    const { clock, setting = 'SCHEMA_REGISTRY_URL', tls = {} } = options;
    const { host, auth = options.auth } = parseUrl(options.url, setting);
    this.name = host;
    this.#setting = setting;
    const agent = boundedAgent(host.startsWith('https:'), REGISTRY_ANSWER_BYTES_MAX, tls);
    const { retries = REGISTRY_RETRIES, timeoutMs = REGISTRY_TIMEOUT_MS } = options;
    this.#access = { host, auth, agent, retries, timeoutMs, clock };
  }

  async schemaById(id: number): Promise<RegisteredSchema | undefined> {
    const answer = await this.#find(id);
    if (isUnknown(answer)) return undefined;
    const { schema, schemaType } = answer.body;
    // Not Fatal: this comes from a record, at any time, and its partition can wait for what an operator has to mend.
    if (answer.status !== 200 || typeof schema !== 'string') throw new Retriable(this.#refusal(`schema ${id}`, answer));
    return { schema, schemaType: typeof schemaType === 'string' ? schemaType : 'AVRO' };
  }

  async schemaId(subject: string, schema: string): Promise<number> {
    const registered: AvroSchema = { type: 'AVRO', schema };
    const found = await this.#ask(subject, (client) => client.getRegistryIdBySchema(subject, registered));
    const answer = isUnknown(found) ? await this.#register(subject, registered) : found;
    const id = answer.body['id'];
    if (answer.status === 200 && typeof id === 'number') return id;
    if (answer.status !== 409) throw new Fatal(this.#refusal(`subject ${subject}`, answer));
    throw new Fatal(
      `The schema registry at ${this.name} holds a schema under ${subject} that ours is not compatible with ` +
        `(${reasonOf(answer)}). Give the output another topic, or change the subject's compatibility.`,
    );
  }

  async check(): Promise<void> {
    const answer = await this.#find(PROBED_ID);
    if (answer.status !== 200 && !isUnknown(answer)) throw new Fatal(this.#refusal('a schema', answer));
  }

  #find(id: number): Promise<Answer> {
    return this.#ask(`schema ${id}`, ({ api }) => api.Schema.find({ id }));
  }

  /**
   * `register` refuses a subject whose compatibility is not the one it is given, BACKWARD by default, and sets it where
   * the subject has none. It is given the subject's own compatibility; where there is none, none is given and none is set.
   */
  async #register(subject: string, schema: AvroSchema): Promise<Answer> {
    const config = await this.#ask(subject, ({ api }) => api.Subject.config({ subject }));
    const level = config.body['compatibilityLevel'];
    if (config.status !== 404 && typeof level !== 'string') return config;
    const compatibility = typeof level === 'string' ? level.toUpperCase() : undefined;
    return this.#ask(subject, (client) => client.register(schema, { subject, compatibility }));
  }

  /** @throws Retriable where there is no answer, or one that will be another if asked again. */
  async #ask(what: string, question: (client: RegistryClient) => Promise<unknown>): Promise<Answer> {
    const asked = await ask(this.#access, question);
    if (asked.kind === 'unreachable') {
      const remedy = IS_CERTIFICATE.test(asked.why) ? 'Trust its certificate with schemaRegistrySsl.ca' : 'Start it';
      throw new Retriable(
        `The schema registry at ${this.name} cannot be reached (${asked.why}). ${remedy}, or correct ${this.#setting}.`,
        asked.cause,
      );
    }
    if (isPassing(asked.answer)) throw new Retriable(this.#refusal(what, asked.answer));
    return asked.answer;
  }

  #refusal(what: string, answer: Answer): string {
    const credentials = this.#setting === 'SCHEMA_REGISTRY_URL' ? this.#setting : 'schemaRegistryAuth';
    const remedy =
      answer.status === 401 || answer.status === 403
        ? `Put a user and password it accepts into ${credentials}.`
        : `Check that ${this.#setting} is the address of its Confluent API (Apicurio: with /apis/ccompat/v7).`;
    return `The schema registry at ${this.name} answered ${answer.status} when asked for ${what} (${reasonOf(answer)}). ${remedy}`;
  }
}

/** Codes of Node and OpenSSL for a certificate that is not trusted, or not for this host. */
const IS_CERTIFICATE = /CERT|UNABLE_TO_/;

/** Only the registry itself can say so: any server answers 404 for a page it does not have. */
function isUnknown({ status, body }: Answer): boolean {
  return status === 404 && [SUBJECT_NOT_FOUND, SCHEMA_NOT_FOUND].includes(body['error_code'] as number);
}

function parseUrl(text: string, setting: string): { host: string; auth: RegistryAccess['auth'] } {
  // Not shown whole: it may hold a password.
  const wanted = 'wanted http(s)://[user:password@]host[:port][/path]';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new Fatal(`${setting} is not an address: ${wanted}.`);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.search = '';
  url.hash = '';
  const host = url.href.replace(/\/+$/, '');
  if (username === '' && password === '') return { host, auth: undefined };
  try {
    return { host, auth: { username: decodeURIComponent(username), password: decodeURIComponent(password) } };
  } catch {
    throw new Fatal(`${setting} is not an address: ${wanted}, with % in user and password written as %25.`);
  }
}

function reasonOf({ body }: Answer): string {
  return typeof body['message'] === 'string' ? excerpt(body['message']) : 'no reason given';
}
