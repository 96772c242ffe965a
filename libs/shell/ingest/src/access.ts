// Who may send: by a token, and, from a web page, by the page's origin.
import { isSameText } from '@flatline/http';

export interface Access {
  readonly tokens: readonly string[];
  /** Origins of pages that may send: `https://shop.example`. None: no page may. */
  readonly origins: readonly string[];
}

/** The part of a request that decides. */
export interface Asking {
  readonly headers: { readonly authorization?: string | undefined; readonly origin?: string | undefined };
  readonly query: unknown;
}

export type Refusal = { readonly code: 401 | 403; readonly error: string };

/** undefined: it may. `sendBeacon` and a browser's WebSocket set no headers: they give the token in the query. */
export function refusalOf({ headers, query }: Asking, { tokens, origins }: Access): Refusal | undefined {
  const { origin, authorization = '' } = headers;
  if (origin !== undefined && !origins.includes(origin))
    return { code: 403, error: `pages of ${origin} may not send: list it in ingest.origins` };
  const inQuery = (query as { readonly token?: unknown } | undefined)?.token;
  const given = /^Bearer (.+)$/i.exec(authorization)?.[1] ?? (typeof inQuery === 'string' ? inQuery : '');
  // A request without a token is refused, whatever the tokens are.
  if (given !== '' && tokens.some((token) => isSameText(token, given))) return undefined;
  return { code: 401, error: 'a token of ingest.tokens is needed: Authorization: Bearer …, or ?token=…' };
}
