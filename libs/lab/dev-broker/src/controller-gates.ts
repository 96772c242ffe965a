// Proxies the controller of every node: all traffic from nodes to controllers passes through here, so that a node can be
// cut off from the controllers of the others, and from nothing else. Clients, and the copying between brokers, do not pass.
//
// Owns: a listener per node, the connections through them.
// Does not own: the nodes.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { LOOPBACK } from './ports.ts';

interface Passage {
  readonly sockets: readonly Socket[];
  /** Node ids; `from` is unknown before the first request. */
  from: number | undefined;
  readonly to: number;
}

/** A request's size, api key, version and correlation id; then the client id, behind its length. */
const CLIENT_ID_AT = 4 + 2 + 2 + 4 + 2;

export class ControllerGates {
  readonly #servers: Server[] = [];
  readonly #passages = new Set<Passage>();
  readonly #isolated = new Set<number>();
  readonly #ports: number[] = [];

  /** One per controller port; nodes count from 1. */
  static async open(controllerPorts: readonly number[]): Promise<ControllerGates> {
    const gates = new ControllerGates();
    for (const [index, port] of controllerPorts.entries()) await gates.#listen(index + 1, port);
    return gates;
  }

  /** Ports given to the nodes instead of the controllers' own. */
  get ports(): readonly number[] {
    return this.#ports;
  }

  /** Cuts the node off from the controllers of other nodes, and its own from other nodes. */
  isolate(node: number): void {
    this.#isolated.add(node);
    for (const passage of [...this.#passages]) if (this.#isClosed(passage)) this.#end(passage);
  }

  rejoin(node: number): void {
    this.#isolated.delete(node);
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const passage of [...this.#passages]) this.#end(passage);
  }

  #listen(to: number, controllerPort: number): Promise<void> {
    const server = createServer((client) => {
      this.#accept(client, to, controllerPort);
    });
    this.#servers.push(server);
    return new Promise((resolve) => {
      server.listen(0, LOOPBACK, () => {
        const address = server.address();
        if (address !== null && typeof address === 'object') this.#ports.push(address.port);
        resolve();
      });
    });
  }

  #accept(client: Socket, to: number, controllerPort: number): void {
    const controller = connect(controllerPort, LOOPBACK);
    const passage: Passage = { sockets: [client, controller], from: undefined, to };
    this.#passages.add(passage);
    for (const socket of passage.sockets) {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#end(passage);
      });
    }
    let begun = Buffer.alloc(0);
    client.on('data', (bytes) => {
      if (passage.from === undefined) {
        begun = Buffer.concat([begun, bytes]);
        passage.from = senderOf(begun);
        if (passage.from !== undefined && this.#isClosed(passage)) this.#end(passage);
        else if (passage.from !== undefined) controller.write(begun);
      } else controller.write(bytes);
    });
    controller.on('data', (bytes) => client.write(bytes));
  }

  #isClosed({ from, to }: Passage): boolean {
    return from !== undefined && from !== to && (this.#isolated.has(from) || this.#isolated.has(to));
  }

  #end(passage: Passage): void {
    this.#passages.delete(passage);
    for (const socket of passage.sockets) socket.destroy();
  }
}

/** The node that sent this first request: Kafka's nodes call themselves `2`, or `raft-client-2`. 0: none of them. */
function senderOf(bytes: Buffer): number | undefined {
  if (bytes.length < CLIENT_ID_AT) return undefined;
  const end = CLIENT_ID_AT + Math.max(0, bytes.readInt16BE(CLIENT_ID_AT - 2));
  if (bytes.length < end) return undefined;
  return Number(/(\d+)$/.exec(bytes.toString('latin1', CLIENT_ID_AT, end))?.[1] ?? 0);
}
