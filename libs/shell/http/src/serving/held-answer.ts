// An answer that lasts as long as its connection, as a stream of events does (Q3): gives up what is there for a next request, and for
// an end that is not near. That is most of what such a connection takes.
//
// Node has no documented way to say so. What is not as expected is left as it is, so nothing but memory depends on it.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** As far as it is known: 10 KiB, most of it for the headers of a request. */
interface Parser {
  /** Out of the list of those whose request may be late. */
  remove(): void;
  close(): void;
}

type Parsed = Socket & { parser?: Parser | null };

/** True of any answer whose head was written: nothing else is asked of it from then on. */
const SENT = 'sent';

/** To be called once, after its head and the first bytes were written. */
export function holdAnswer(response: ServerResponse & { _header?: string }): void {
  const { req, socket } = response;
  // The framework's own would keep its request and reply: kilobytes.
  response.removeAllListeners('finish').removeAllListeners('error');
  response.on('error', ignored).on('finish', closeBehind);
  // Node keeps the request until its answer has ended: what a browser says with it is a kilobyte or two.
  req.rawHeaders = [];
  req.headers = {};
  // A tree of some thirty strings, of which none is ever sent again.
  if (response.headersSent) response._header = SENT;
  // The parser may be what has called this.
  if (socket !== null) setImmediate(giveUpParser, socket);
}

/** Node would keep the connection for a next request, which is not read: a server that ends, and the caller, would wait for nothing. */
function closeBehind(this: ServerResponse): void {
  this.socket?.destroySoon();
}

/** Reads on without taking requests, so that the end of the connection is noticed. */
function giveUpParser(socket: Parsed): void {
  const { parser } = socket;
  const [onData, onEnd] = [listenerOf(socket, 'data'), listenerOf(socket, 'end')];
  if (parser === undefined || parser === null || onData === undefined || onEnd === undefined) return;
  socket.off('data', onData).off('end', onEnd);
  // The first to hear of bytes takes them away from the parser.
  socket.on('data', ignored).on('end', endToo);
  parser.remove();
  parser.close();
  socket.parser = null;
}

const LISTENERS = { data: 'bound socketOnData', end: 'bound socketOnEnd' } as const;

/** Node's own, which hands on to the parser. */
function listenerOf(socket: Socket, event: keyof typeof LISTENERS): (() => void) | undefined {
  return (socket.listeners(event) as (() => void)[]).find(({ name }) => name === LISTENERS[event]);
}

/** As Node does where a caller says that no more comes of him. */
function endToo(this: Socket): void {
  this.end();
}

/** Also of errors: a connection that breaks closes, too, which is heard. */
function ignored(): void {}
