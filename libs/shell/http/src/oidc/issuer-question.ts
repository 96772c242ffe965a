import { type DurationMs, messageOf, Retriable } from '@flatline/base';

const WITHIN_MS: DurationMs = 5_000;
/** Keys with their certificates have some kilobytes each. */
const ANSWER_BYTES_MAX = 262_144;

/** A JSON object at an address of an issuer. @throws Retriable that names address and remedy */
export async function askIssuer(url: string, ending: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  try {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(WITHIN_MS)]);
    const answer = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'error', signal });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    const value: unknown = JSON.parse(await boundedText(answer));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it answered no object');
    return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    throw new Retriable(
      `${url} says nothing (${messageOf(cause ?? error)}); start the issuer, trust its certificate (NODE_EXTRA_CA_CERTS), or ` +
        'correct http.auth.oidc.issuer',
      error,
    );
  }
}

async function boundedText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  if (body === null) return '';
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`it answered with more than ${ANSWER_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
