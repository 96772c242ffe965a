import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';

/**
 * An agent that opens a connection for each request, and ends it with an error instead of taking in more than `bytesMax`
 * over it: mappersmith keeps all of an answer, however long it is.
 */
export function boundedAgent(secure: boolean, bytesMax: number, tls: ConnectionOptions): HttpAgent {
  const agent = secure ? new HttpsAgent(tls) : new HttpAgent();
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback);
    if (socket) bound(socket, bytesMax);
    return socket;
  };
  return agent;
}

/** Counts where bytes enter the stream: a listener would run beside the HTTP parser, which might end the answer first. */
function bound(socket: Duplex, bytesMax: number): void {
  const push = socket.push.bind(socket);
  let bytes = 0;
  socket.push = (chunk: Uint8Array | null) => {
    bytes += chunk?.length ?? 0;
    if (bytes <= bytesMax) return push(chunk);
    socket.destroy(new Error(`an answer of more than ${bytesMax} bytes`));
    return false;
  };
}
