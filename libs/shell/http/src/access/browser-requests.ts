// Requests that a page made a browser send. There are no cookies, so a page has no one's rights; but where there are no tokens either,
// on loopback, it would have everybody's.
import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';

const SAFE: readonly string[] = ['GET', 'HEAD'];

/**
 * True where a page of somebody else asks. A browser names the page that has it ask, and its relation to us, in whatever is no plain
 * look (Fetch, Origin; Fetch Metadata), and no page can say otherwise. Both have to name our own page: an old browser says one alone.
 */
export function isFromPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  if (SAFE.includes(method)) return false;
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site === 'same-origin' && origin !== undefined && host !== undefined)
    return origin !== `http://${host}` && origin !== `https://${host}`;
  return origin !== undefined || (site !== undefined && site !== 'none');
}

/** Names by which a port without tokens is called. */
export class OwnHosts {
  readonly #hosts: readonly string[];
  /** Header that was taken last: a caller sends the same with each request. */
  #taken: string | undefined;

  constructor(hosts: readonly string[]) {
    this.#hosts = hosts;
  }

  isForeign(host: string | undefined): boolean {
    if (host === this.#taken) return false;
    const isForeign = isForeignHost(host, this.#hosts);
    if (!isForeign) this.#taken = host;
    return isForeign;
  }
}

/** True where a request was sent to another name than those of loopback, of an address, or of `hosts`. */
function isForeignHost(host: string | undefined, hosts: readonly string[]): boolean {
  if (host === undefined || host === '') return false;
  const name = host.replace(/:\d*$/, '').toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost')) return false;
  return isIP(name.replace(/^\[|\]$/g, '')) === 0 && !hosts.includes(name);
}
