// A processor as the dashboard hears it, of a size that no test here could run: a thousand partitions, ten thousand entries.
// It serves the page's own files, tells facts by the lines of `GET /api/v1/watch`, and lists entries page by page.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

export const PARTITIONS = 1_000;
export const ENTRIES = 10_000;
const OWNERS = ['anna', 'bert', 'carl'];
const PAGE_MAX = 1_000;
const BUILT = new URL('../../../dashboard/dist/', import.meta.url);
const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/': ['dashboard.html', 'text/html; charset=utf-8'],
  '/dashboard.js': ['dashboard.js', 'text/javascript; charset=utf-8'],
  '/dashboard.css': ['dashboard.css', 'text/css; charset=utf-8'],
};
const PIPELINE = {
  kind: 'session',
  noun: 'session',
  acts: ['end', 'evict'],
  hasStatistics: true,
  inputTopic: 'visits',
  inputPartitions: PARTITIONS,
  outputTopic: 'visits-out',
  timeoutMs: 60_000,
  members: OWNERS,
};

type Facts = Record<string, unknown>;

export class Crowd {
  readonly #server: Server;
  readonly #watching = new Set<ServerResponse>();
  readonly #beganMs = Date.now();
  #turns = 0;
  readonly #moves = new Map<number, number>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(new URL(request.url!, 'http://x'), response);
    });
  }

  static async open(): Promise<Crowd> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Crowd(server);
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Tells how far these partitions are by now. */
  beat(partitions: readonly number[]): void {
    this.#turns += 1;
    const nows = partitions.map((partition) => [`now/visits/${partition}`, this.#now(partition)]);
    this.#tell({ ...this.#sums(), ...(Object.fromEntries(nows) as Facts) });
  }

  /** These go to the next instance: so many facts in one message. */
  move(partitions: readonly number[]): void {
    this.#turns += 1;
    for (const partition of partitions) this.#moves.set(partition, (this.#moves.get(partition) ?? 0) + 1);
    const parts = partitions.map((partition) => [`part/visits/${partition}`, this.#part(partition)]);
    this.#tell({ ...this.#sums(), ...(Object.fromEntries(parts) as Facts) });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #tell(facts: Facts): void {
    for (const each of this.#watching) each.write(`${JSON.stringify({ facts })}\n`);
  }

  #answer({ pathname, searchParams }: URL, response: ServerResponse): void {
    const file = FILES[pathname];
    // A page that may load no picture asks for none.
    response.setHeader('content-security-policy', "img-src 'none'");
    if (file !== undefined) response.setHeader('content-type', file[1]).end(readFileSync(new URL(file[0], BUILT)));
    else if (pathname === '/api/v1/watch') this.#watched(response);
    else if (pathname === '/api/v1/entries/visits')
      response.end(JSON.stringify(this.#page(Number(searchParams.get('limit')), Number(searchParams.get('after')))));
    else response.writeHead(404).end('{}');
  }

  #watched(response: ServerResponse): void {
    this.#watching.add(response);
    response.on('close', () => this.#watching.delete(response));
    const all: readonly (readonly [string, unknown])[] = everyPartition.flatMap((partition) => [
      [`part/visits/${partition}`, this.#part(partition)],
      [`now/visits/${partition}`, this.#now(partition)],
    ]);
    const facts: Facts = {
      pipelines: ['visits'],
      'pipeline/visits': PIPELINE,
      ...this.#sums(),
      ...Object.fromEntries(all),
    };
    response.write(`${JSON.stringify({ facts })}\n`);
  }

  #sums(): Facts {
    const figures = OWNERS.map((owner, at) => [
      `figures/visits/${owner}`,
      {
        partitions: Math.floor((PARTITIONS + OWNERS.length - 1 - at) / OWNERS.length),
        standbys: PARTITIONS / OWNERS.length,
        live: 100_000 + this.#turns,
        lag: 12,
        read: this.#turns * 5_000,
        ended: this.#turns * 300,
        reasons: { TIMEOUT: 4_000 + this.#turns, ENDED: 900 },
        delays: [
          [10, 400],
          [100, 90],
          [1_000, 3],
        ],
        deadLetters: 0,
      },
    ]);
    return { instance: { name: OWNERS[0], wallMs: Date.now() }, ...(Object.fromEntries(figures) as Facts) };
  }

  #part(partition: number): unknown {
    const at = partition + (this.#moves.get(partition) ?? 0);
    const owner = OWNERS[at % OWNERS.length];
    const standbys = [OWNERS[(at + 1) % OWNERS.length]];
    return { role: 'owner', owner, standbys, state: 'running' };
  }

  #now(partition: number): unknown {
    const clock = Date.now();
    return [clock, 300 + ((partition * 7 + this.#turns) % 90), this.#turns % 5, 20, 0.1, clock + 1_000 + partition];
  }

  #page(limit: number, from: number): unknown {
    const to = Math.min(ENTRIES, from + Math.min(limit, PAGE_MAX));
    const entries = Array.from({ length: to - from }, (_, at) => entryAt(from + at, this.#beganMs));
    return { entries, ...(to < ENTRIES && { after: String(to) }) };
  }
}

const everyPartition = Array.from({ length: PARTITIONS }, (_, partition) => partition);

function entryAt(at: number, nowMs: number): unknown {
  const deadlineAt = nowMs + 600_000 + ((at * 7_919) % 60_000);
  return {
    key: `visitor-${at}`,
    partition: at % PARTITIONS,
    incarnation: `${at % PARTITIONS}-${at}`,
    startedAt: nowMs - 90_000,
    lastSeenAt: deadlineAt - 60_000,
    deadlineAt,
    eventCount: (at % 90) + 1,
    attributes: { gateway: `g${at % 9}` },
  };
}
