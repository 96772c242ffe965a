// Connections that are kept, each with one request at a time: what node:http takes for a request is as much as what a server takes to
// answer it, and both share the machine. Answers have their length (no chunks), as Fastify's JSON does.
//
// Owns: the sockets, who waits for one.
// Does not own: what is asked.
import { connect, type Socket } from 'node:net';

const SOCKETS_MAX = 256;
const HEAD_END = Buffer.from('\r\n\r\n');

export interface KeptAnswer {
  readonly status: number;
  readonly text: string;
}

interface Asking {
  readonly request: string;
  readonly resolve: (answer: KeptAnswer) => void;
  readonly reject: (error: Error) => void;
}

export class KeepAlive {
  readonly #host: string;
  readonly #port: number;
  readonly #idle: Socket[] = [];
  readonly #waiting: Asking[] = [];
  readonly #open = new Set<Socket>();

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
  }

  /** @param body JSON that is posted; undefined: it is a GET */
  ask(path: string, body: string | undefined): Promise<KeptAnswer> {
    const head = `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nhost: ${this.#host}:${this.#port}\r\n`;
    const more =
      body === undefined
        ? '\r\n'
        : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    return new Promise((resolve, reject) => {
      const asking = { request: head + more, resolve, reject };
      const socket = this.#idle.pop();
      if (socket !== undefined) take(socket, asking, this.#next);
      else if (this.#open.size >= SOCKETS_MAX) this.#waiting.push(asking);
      else take(this.#connect(), asking, this.#next);
    });
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #connect(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    this.#open.add(socket);
    socket.on('close', () => {
      this.#open.delete(socket);
      const at = this.#idle.indexOf(socket);
      if (at >= 0) this.#idle.splice(at, 1);
      const next = this.#waiting.shift();
      if (next !== undefined) take(this.#connect(), next, this.#next);
    });
    return socket;
  }

  readonly #next = (socket: Socket): void => {
    const asking = this.#waiting.shift();
    if (asking === undefined) this.#idle.push(socket);
    else take(socket, asking, this.#next);
  };
}

/** Sends it, and calls `next` once its answer is whole. A connection that fails, or says anything else, is given up. */
function take(socket: Socket, { request, resolve, reject }: Asking, next: (socket: Socket) => void): void {
  let got: Buffer | undefined;
  const end = (): void => {
    socket.removeAllListeners('data');
    socket.removeListener('error', fail);
    socket.removeListener('close', closed);
  };
  const fail = (error: Error): void => {
    end();
    socket.on('error', () => undefined);
    reject(error);
    socket.destroy();
  };
  const closed = (): void => {
    fail(new Error('the connection was closed before its answer'));
  };
  socket.on('error', fail);
  socket.prependListener('close', closed);
  socket.on('data', (chunk: Buffer) => {
    got = got === undefined ? chunk : Buffer.concat([got, chunk]);
    const answer = answerIn(got);
    if (answer === undefined) return;
    end();
    if (answer instanceof Error) fail(answer);
    else {
      next(socket);
      resolve(answer);
    }
  });
  socket.write(request, 'latin1');
}

/** undefined: it is not whole yet. */
function answerIn(bytes: Buffer): KeptAnswer | Error | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const length = /\r\ncontent-length: (\d+)/i.exec(head);
  if (length === null) return new Error(`an answer without its length: ${head}`);
  const from = headEnd + HEAD_END.length;
  const to = from + Number(length[1]);
  return bytes.length < to ? undefined : { status: Number(head.slice(9, 12)), text: bytes.toString('utf8', from, to) };
}
