// Keys in the paths of requests. A key is any bytes, and the router takes only text: they are decoded before it sees them.

const ENTRIES = '/api/v1/entries/';
/** Where the router finds them: the key in base64url. */
export const BY_KEY = '/api/v1/entries-by-key/:pipeline/:key';
export const LOOK_UP = '/api/v1/entries-look-up/:pipeline';

/** Acts (Q4): the key in base64url behind a mark, since it may be empty. */
export const ACT_ON_KEY = '/api/v1/entries-act/:pipeline/:act/:key';
export const ACT_ON_ALL = '/api/v1/entries-act/:pipeline/:act';

/** One partition's entries, by which instances ask each other. */
export const PAGE = '/api/v1/entries-page/:pipeline';
export const LIST = '/api/v1/entries/:pipeline';

/** Suffixes of a pipeline's name, and where the router finds what they ask for. */
const SUFFIXES = [
  [':lookup', '/api/v1/entries-look-up/'],
  [':page', '/api/v1/entries-page/'],
] as const;

/** The path that the router matches; others stay what they are. */
export function routedUrl(url: string, method = 'GET'): string {
  if (!url.startsWith(ENTRIES)) return url;
  const [path, query] = split(url.slice(ENTRIES.length), '?');
  const rest = query === undefined ? '' : `?${query}`;
  const [pipeline, key] = split(path, '/');
  const act = method === 'POST' ? actOf(path) : undefined;
  if (act !== undefined) return `${act}${rest}`;
  if (key === undefined) {
    const found = SUFFIXES.find(([suffix]) => pipeline.endsWith(suffix));
    return found === undefined ? url : `${found[1]}${pipeline.slice(0, -found[0].length)}${rest}`;
  }
  return `/api/v1/entries-by-key/${pipeline}/${percentDecoded(key).toString('base64url')}${rest}`;
}

/** The act lies behind the last colon: one of the key is written %3A where it would be the last. */
function actOf(path: string): string | undefined {
  const at = path.lastIndexOf(':');
  if (at < 0 || SUFFIXES.some(([suffix]) => path.endsWith(suffix))) return undefined;
  const [pipeline, key] = split(path.slice(0, at), '/');
  const act = `/api/v1/entries-act/${pipeline}/${path.slice(at + 1)}`;
  return key === undefined ? act : `${act}/-${percentDecoded(key).toString('base64url')}`;
}

/** Returns the bytes of a query under a name; undefined: nothing. A plus is a space, as forms have it. */
export function queryBytes(url: string, name: string): Buffer | undefined {
  const [, query = ''] = split(url, '?');
  const said = query.split('&').find((each) => each.startsWith(`${name}=`));
  return said === undefined ? undefined : percentDecoded(said.slice(name.length + 1).replaceAll('+', ' '));
}

function split(text: string, by: string): readonly [string, string?] {
  const at = text.indexOf(by);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** RFC 3986, 2.1: what is no escape stands for itself. */
function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (!text.includes('%')) return bytes;
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const escaped = bytes[at] === PERCENT ? escapedAt(bytes, at + 1) : undefined;
    decoded[length] = escaped ?? bytes[at]!;
    if (escaped !== undefined) at += 2;
    length += 1;
  }
  return decoded.subarray(0, length);
}

function escapedAt(bytes: Buffer, at: number): number | undefined {
  const digits = bytes.toString('latin1', at, at + 2);
  return HEX.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

const PERCENT = 0x25;
const HEX = /^[0-9A-Fa-f]{2}$/;
