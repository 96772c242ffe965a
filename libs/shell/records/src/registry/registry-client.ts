// @kafkajs/confluent-schema-registry as it is used here: asked within a time limit, with every answer seen as it came.
//
// Addresses, authentication, TLS and retries are the package's. Its defects (4.1.0, reproduced in
// client-defects.test.ts) are worked around here:
//   - Its errors drop `error_code`, which alone tells "no such schema" from "no such page". Middlewares that it is given
//     stand outside the one that drops it, so ours is put before all others.
//   - An error whose body is `null` throws where no promise awaits it, which ends the process.
//   - It has no time limit, and mappersmith's begins again with every byte; an answer that breaks off never settles.
//   - mappersmith keeps an answer of any length (bounded-agent.ts).
//   - It caches every schema it ever saw, and the retry options of the client made last hold for all of a process: a
//     client lives for one question, and gets its options in full.
import type { Agent } from 'node:http';
import type { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import type { Clock, DurationMs } from '@flatline/base';

type ClientOptions = ConstructorParameters<typeof SchemaRegistry>[0];
type Middleware = NonNullable<ClientOptions['middlewares']>[number];

export interface AvroSchema {
  readonly type: 'AVRO';
  readonly schema: string;
}

/** The parts of the package in use. `api` is private: its version is pinned, and the tests have a real registry. */
export interface RegistryClient {
  getRegistryIdBySchema(subject: string, schema: AvroSchema): Promise<unknown>;
  register(
    schema: AvroSchema,
    options: { readonly subject: string; readonly compatibility: string | undefined },
  ): Promise<unknown>;
  readonly api: {
    readonly _manifest: { readonly middleware: Middleware[] };
    readonly Schema: { find(parameters: { readonly id: number }): Promise<unknown> };
    readonly Subject: { config(parameters: { readonly subject: string }): Promise<unknown> };
  };
}

export interface RegistryAccess {
  /** Without credentials. */
  readonly host: string;
  readonly auth: { readonly username: string; readonly password: string } | undefined;
  readonly agent: Agent;
  /** Times that a request is made again after an error of the network, a 5xx or a 429. */
  readonly retries: number;
  /** Longest time for a question, its retries included. */
  readonly timeoutMs: DurationMs;
  readonly clock: Clock;
}

export interface Answer {
  readonly status: number;
  /** Where the answer is no JSON object, its text stands in `message`. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type Asked =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'unreachable'; readonly why: string; readonly cause?: unknown };

const INITIAL_RETRY_SECONDS = 0.1;
const MAX_RETRY_SECONDS = 2;
const TOO_MANY_REQUESTS = 429;

/** True if the same request may succeed later. */
export function isPassing({ status }: Answer): boolean {
  return status >= 500 || status === TOO_MANY_REQUESTS;
}

/** The last answer that `question` got, whatever the package made of it. Never rejects. */
export async function ask(
  access: RegistryAccess,
  question: (client: RegistryClient) => Promise<unknown>,
): Promise<Asked> {
  const { clock, timeoutMs } = access;
  const controller = new AbortController();
  let cancel = (): void => undefined;
  const late = new Promise<Asked>((resolve) => {
    cancel = clock.after(timeoutMs, () => {
      resolve({ kind: 'unreachable', why: `no answer within ${timeoutMs} ms` });
      controller.abort();
    });
  });
  try {
    return await Promise.race([answerTo(question, access, controller.signal), late]);
  } finally {
    cancel();
  }
}

async function answerTo(
  question: (client: RegistryClient) => Promise<unknown>,
  access: RegistryAccess,
  signal: AbortSignal,
): Promise<Asked> {
  // Loaded when a registry is first asked: it costs 90 ms of CPU time and 27 MB, ajv and protobufjs for the most part.
  // Bundled, a CommonJS module that is imported dynamically has its default export alone.
  const { SchemaRegistry: Client } = (await import('@kafkajs/confluent-schema-registry')).default;
  const asked: Asked[] = [];
  const client = openClient(Client, access, signal, asked);
  let refusal: unknown;
  try {
    await question(client);
  } catch (error) {
    refusal = error;
  }
  const last = asked.at(-1) ?? { kind: 'unreachable', why: causeOf(refusal), cause: refusal };
  if (refusal === undefined || last.kind !== 'answered' || last.answer.status >= 400) return last;
  // The package's own error: the answer is a success, but not what it expects.
  return { kind: 'answered', answer: { status: last.answer.status, body: { message: causeOf(refusal) } } };
}

function openClient(
  Client: typeof SchemaRegistry,
  access: RegistryAccess,
  signal: AbortSignal,
  asked: Asked[],
): RegistryClient {
  const { host, auth, agent, retries } = access;
  const client = new Client({
    host,
    agent,
    ...(auth !== undefined && { auth }),
    retry: {
      retries,
      initialRetryTimeInSecs: INITIAL_RETRY_SECONDS,
      maxRetryTimeInSecs: MAX_RETRY_SECONDS,
      factor: 0.2,
      multiplier: 2,
      validateRetry: ({ responseStatus }) => isPassing({ status: responseStatus, body: {} }),
      // Every request here may be repeated: registering a schema again returns its id again.
      enableRetry: () => true,
    },
  }) as unknown as RegistryClient;
  client.api._manifest.middleware.unshift(witness(signal, asked));
  return client;
}

/** Records each answer before the package's own middlewares see it, and passes on none that they fail on. */
function witness(signal: AbortSignal, asked: Asked[]): Middleware {
  return () => ({
    prepareRequest: async (next) => (await next()).enhance({ signal }),
    response: async (next) => {
      try {
        const response = await next();
        asked.push({ kind: 'answered', answer: { status: response.status(), body: parsed(response.rawData()) } });
        return response;
      } catch (thrown) {
        const response = thrown as Awaited<ReturnType<typeof next>>;
        const failure = response.error();
        const body = parsed(response.rawData());
        asked.push(
          failure === null
            ? { kind: 'answered', answer: { status: response.status(), body } }
            : { kind: 'unreachable', why: causeOf(failure), cause: failure },
        );
        // Failures are responses in mappersmith, not errors.
        throw response.enhance({ rawData: JSON.stringify({ message: body['message'] }) }) as unknown as Error;
      }
    },
  });
}

function parsed(text: string | null): Answer['body'] {
  try {
    const body: unknown = JSON.parse(text ?? '');
    return typeof body === 'object' && body !== null ? (body as Answer['body']) : {};
  } catch {
    return { message: text };
  }
}

/** Told by its members: it may be of another realm. */
function causeOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { readonly code?: string; readonly message?: string };
  return code ?? message ?? String(error);
}
