// An operator's acts on a pipeline's entries, asked of an instance over HTTP (SPEC, Q4).
//
// Owns: nothing.
// Does not own: which instances there are (the directory), what an act does (the processor).
import { type DurationMs, messageOf, Misconfigured, Retriable } from '@flatline/base';
import type { DirectoryAccess } from './directory-access.ts';

/** Where the record of an act lies in the input: it takes effect once the processor has read it. */
export interface ActPlace {
  readonly topic: string;
  readonly partition: number;
  /** Less than 0: it is in the log, but the broker did not say where. */
  readonly offset: number;
}

/** Where those of an eviction lie: one in each partition. */
export interface EvictionPlaces {
  readonly topic: string;
  readonly records: readonly { readonly partition: number; readonly offset: number }[];
}

/** Entries that have it end: sessions, and leases by what their holder, or who waits, said of itself. */
export interface Evicted {
  readonly attribute: string;
  readonly equals: string;
}

export type KeyAct = 'end' | 'release' | 'flush' | 'cancel';

/** An instance waits ten seconds for the brokers. */
const ANSWER_WITHIN_MS: DurationMs = 12_000;
/** Nothing was sent there. */
const UNSENT: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/**
 * Asks the first instance that can be reached, and no other once the act may have been sent: twice in the log, it might end what has
 * begun in between. @throws Retriable where it is not known to be in the log, Misconfigured where it was refused
 */
export async function act<Answer>(
  access: DirectoryAccess,
  endpoints: readonly string[],
  { path, body }: { readonly path: string; readonly body?: object },
): Promise<Answer> {
  const failures: string[] = [];
  const content = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  for (const endpoint of new Set(endpoints)) {
    if (endpoint === '') continue;
    const answer = await answerOf(() => access.ask(endpoint, path, { method: 'POST', ...content }, ANSWER_WITHIN_MS));
    if (typeof answer === 'string') {
      failures.push(`${endpoint}: ${answer}`);
      continue;
    }
    const { status, body: said } = answer;
    if (status === 202) return said as Answer;
    const { error = String(status) } = said as { readonly error?: string };
    if (status === 503 || status === 429) throw new Retriable(`${endpoint}: ${error}`);
    throw new Misconfigured(`${endpoint}: ${error}`);
  }
  throw new Retriable(`no instance can be reached: ${failures.join('; ')}`);
}

/** In words: nothing was sent. @throws Retriable where something may have been */
async function answerOf<Answer>(ask: () => Promise<Answer>): Promise<Answer | string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Misconfigured) throw error;
    if ([codeOf(error), codeOf((error as Error).cause)].some((code) => UNSENT.includes(code))) return messageOf(error);
    throw new Retriable(`the act may be in the log or not: ${messageOf(error)}`, error);
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
