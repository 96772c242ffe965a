// An npm registry on loopback, in memory: takes and checks the uploads of `npm publish`, and gives them to `npm install`.
// Everything else is requested from the registry upstream.
//
// Owns: the uploads of this process.
// Does not own: which packages those may be, the signature of a statement (there is none).
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Statement, statementIn } from './statement.ts';

/** Upper bound on the size of one publication; ours are below 2 MB. */
const BODY_BYTES_MAX = 64 * 2 ** 20;
const DOCUMENT = 'application/json';

/** An upload by npm: the document of a package with one version, and its files in base64. */
interface Publication {
  readonly name: string;
  readonly versions: Readonly<
    Record<string, { readonly dist: { readonly integrity: string; readonly tarball: string } }>
  >;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly location?: string;
  readonly body?: string | Buffer;
}

export class RehearsalRegistry {
  /** By package name. */
  readonly statements = new Map<string, Statement>();
  /** By path: documents of packages, and tarballs. */
  readonly #files = new Map<string, Answer>();
  readonly #own: readonly string[];
  readonly #upstream: string;
  readonly #token: string;
  readonly #server: Server;

  private constructor(own: readonly string[], upstream: string, token: string) {
    this.#own = own;
    this.#upstream = upstream;
    this.#token = token;
    this.#server = createServer((request, response) => {
      void this.#answer(request)
        .catch((error: unknown) => refusal(500, String(error)))
        .then(({ status, type, location, body }) => {
          // npm's cache outlives this registry.
          response.setHeader('cache-control', 'no-store');
          if (type !== undefined) response.setHeader('content-type', type);
          if (location !== undefined) response.setHeader('location', location);
          response.writeHead(status).end(body);
        });
    });
  }

  /** `own`: the packages that may be published here; no other registry is asked for them. */
  static async start(own: readonly string[], upstream: string, token: string): Promise<RehearsalRegistry> {
    const registry = new RehearsalRegistry(own, upstream, token);
    await once(registry.#server.listen(0, '127.0.0.1'), 'listening');
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const path = decodeURIComponent(new URL(request.url ?? '/', this.url).pathname);
    if (request.method === 'PUT') return await this.#publish(path.slice(1), request);
    const file = this.#files.get(path);
    if (file !== undefined) return file;
    if (this.#own.some((name) => path === `/${name}` || path.startsWith(`/${name}/`))) return refusal(404, 'Not found');
    return { status: 302, location: new URL(`.${request.url ?? '/'}`, this.#upstream).href };
  }

  async #publish(name: string, request: IncomingMessage): Promise<Answer> {
    if (request.headers.authorization !== `Bearer ${this.#token}`) return refusal(401, 'wrong token');
    if (!this.#own.includes(name)) return refusal(403, `${name} is not published here`);
    if (this.#files.has(`/${name}`)) return refusal(403, `${name} is published already`);
    const { _attachments: attached, ...document } = JSON.parse(await bodyOf(request)) as Publication;
    const [version, { dist }] = Object.entries(document.versions)[0]!;
    const tarball = Buffer.from(attached[`${name}-${version}.tgz`]?.data ?? '', 'base64');
    const hash = createHash('sha512').update(tarball).digest();
    if (dist.integrity !== `sha512-${hash.toString('base64')}`) return refusal(400, 'the tarball has another hash');
    const statement = statementIn(attached[`${name}-${version}.sigstore`]?.data);
    if (statement?.subject[0]?.digest.sha512 !== hash.toString('hex'))
      return refusal(422, 'no provenance statement of this tarball');
    this.statements.set(name, statement);
    this.#files.set(`/${name}`, { status: 200, type: DOCUMENT, body: JSON.stringify(document) });
    this.#files.set(decodeURIComponent(new URL(dist.tarball).pathname), { status: 200, body: tarball });
    return { status: 201, type: DOCUMENT, body: '{}' };
  }
}

/** npm shows the reason. */
function refusal(status: number, reason: string): Answer {
  return { status, type: DOCUMENT, body: JSON.stringify({ error: reason }) };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error(`a publication has more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
