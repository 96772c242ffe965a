// Redacts a report that may leave the machine: nothing that came with a record, and no secret of the configuration. Pure.
import { AssertionError, messageOf } from '@flatline/base';

export const REMOVED = '(removed)';

const TEXT_MAX = 500;
const CAUSES_MAX = 5;

/** Facts of the log that are text of ours; of any other name the text is removed. */
const textualFacts = new Set(['pipeline', 'topic', 'group', 'state', 'owner', 'commitId', 'reason', 'waitsFor']);
/** These are messages. */
const messageFacts = new Set(['error', 'why', 'detail']);
/** Wherever they stand in a resolved configuration, which holds what its secrets refer to. */
const secretSettings = new Set([
  'username',
  'password',
  'passphrase',
  'key',
  'cert',
  'ca',
  'tokens',
  'clientId',
  'clientSecret',
  'hashKey',
  // Addresses of webhooks hold tokens of whoever gave them.
  'target',
]);

/**
 * A message without what it quotes: from the first quotation mark to the last, since what is quoted may hold some itself, as
 * the excerpt in the message of `JSON.parse` does.
 */
export function withoutQuotations(message: string): string {
  const kept = message.replace(/["'`«‘“].*["'`»’”]/s, `“${REMOVED}”`);
  return kept.length <= TEXT_MAX ? kept : `${kept.slice(0, TEXT_MAX)}…`;
}

/** Numbers stay: offsets, sizes, instants. */
export function withoutRecords(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, shownFact(name, value)]));
}

function shownFact(name: string, value: unknown): unknown {
  if (messageFacts.has(name)) return withoutQuotations(messageOf(value));
  if (typeof value === 'string') return textualFacts.has(name) ? withoutQuotations(value) : REMOVED;
  if (Array.isArray(value)) return value.every((each) => typeof each === 'number') ? value : REMOVED;
  return value === null || typeof value !== 'object' ? value : REMOVED;
}

/** An error and its causes: names, messages without quotations, and where in the program. */
export function shownError(error: unknown, causesLeft: number = CAUSES_MAX): unknown {
  if (!(error instanceof Error)) return { message: withoutQuotations(String(error)) };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const { code } = error as { readonly code?: unknown };
  return {
    name: error.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(error instanceof AssertionError
      ? { message: error.message.split(' {')[0], facts: withoutRecords(error.facts) }
      : { message: withoutQuotations(error.message) }),
    frames: frames.map((line) => line.trim()),
    ...(error.cause === undefined || causesLeft === 0 ? {} : { cause: shownError(error.cause, causesLeft - 1) }),
  };
}

/** Says which credentials there are, and shows none. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return withoutCredentials(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretSettings.has(name) && inner !== undefined ? REMOVED : withoutSecrets(inner),
    ]),
  );
}

/** Every secret text of a configuration, in each form in which a message could contain it. */
export function secretsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return credentialsIn(value);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    secretSettings.has(name) ? [...textsIn(inner), ...secretsOf(inner)] : secretsOf(inner),
  );
}

function textsIn(value: unknown): readonly string[] {
  return [value].flat().filter((each): each is string => typeof each === 'string' && each !== '');
}

function withoutCredentials(text: string): string {
  if (credentialsIn(text).length === 0) return text;
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href;
}

function credentialsIn(text: string): readonly string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const written = [url.username, url.password].filter((each) => each !== '');
  return [...written, ...written.map(decoded)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a per cent sign that was meant as one
  }
}
