// Stands in front of every broker of a cluster and breaks a response, a request or a direction on order.
//
// Owns: its listeners and all connections through them, the orders not yet used up.
// Does not own: the brokers; the choice of clients that get its addresses.
//
// Invariants
//   KP1  A client that asked through it never learns of another address: answers that name brokers are rewritten.
//   KP2  A rule fires on one request, and is counted once the broker has carried out its part.
import { connect, createServer, type Server, type Socket } from 'node:net';
import {
  type Api,
  apiKeys,
  correlationIdOf,
  endTxnError,
  isTransactional,
  redirect,
  type RequestHead,
  requestHead,
} from './api.ts';
import { FrameSplitter } from './frame-splitter.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Fate of one request: its answer is dropped, and the connection with it; its answer is dropped, and the connection falls silent;
 * or the connection is dropped at once, and the request reaches the broker `lateMs` afterwards.
 */
export type RequestFault =
  | { readonly api: Api; readonly kind: 'answerDropped' | 'silence' }
  | { readonly api: Api; readonly kind: 'late'; readonly lateMs: number };

export type Cut = 'toBroker' | 'toClient' | 'both';

interface Order {
  readonly fault: RequestFault;
  /** Told whether the broker accepted the request: EndTxn's error code, else 0. */
  readonly done: (errorCode: number) => void;
}

interface Awaited {
  readonly head: RequestHead;
  readonly order: Order | undefined;
}

interface Link {
  readonly client: Socket;
  readonly broker: Socket;
  readonly node: number;
  readonly awaited: Map<number, Awaited>;
  /** Nothing more goes to the client. */
  mute: boolean;
  /** The client is gone, the broker's side stays until a late request is answered. */
  orphan: boolean;
}

export class KafkaProxy {
  readonly #brokerPorts: readonly number[];
  readonly #servers: Server[] = [];
  readonly #ports = new Map<number, number>();
  readonly #links = new Set<Link>();
  readonly #cuts = new Map<number, Cut>();
  #orders: Order[] = [];
  /** The reason why a client may have bypassed the proxy; the trial is worthless then. */
  failure: Error | undefined;

  private constructor(brokerPorts: readonly number[]) {
    this.#brokerPorts = brokerPorts;
  }

  static async open(bootstrap: string): Promise<KafkaProxy> {
    const proxy = new KafkaProxy(bootstrap.split(',').map((address) => Number(address.split(':').at(-1))));
    for (const [node, port] of proxy.#brokerPorts.entries()) await proxy.#listen(node, port);
    return proxy;
  }

  /** Addresses for clients. */
  get bootstrap(): string {
    return [...this.#ports.values()].map((port) => `${LOOPBACK}:${port}`).join(',');
  }

  /**
   * The next such request of any client meets the fault. Resolves with the broker's error code when the broker has answered
   * it; undefined if none came within `withinMs`, and the order is then taken back.
   */
  fault(fault: RequestFault, withinMs: number): Promise<number | undefined> {
    return new Promise((resolve) => {
      const order = {
        fault,
        done: (errorCode: number | undefined): void => {
          clearTimeout(timer);
          resolve(errorCode);
        },
      };
      const timer = setTimeout(() => {
        this.#orders = this.#orders.filter((each) => each !== order);
        resolve(undefined);
      }, withinMs);
      this.#orders.push(order);
    });
  }

  /** From now on nothing passes in that direction; connections stand, and new ones are accepted. Nodes count from 0. */
  cut(node: number, cut: Cut): void {
    this.#cuts.set(node, cut);
  }

  /** Closes connections that have lost bytes; new ones work. @returns how many had lost some */
  heal(node: number): number {
    this.#cuts.delete(node);
    const broken = [...this.#links].filter((link) => link.node === node && link.mute);
    for (const { client, broker } of broken) {
      client.destroy();
      broker.destroy();
    }
    return broken.length;
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const { client, broker } of this.#links) {
      client.destroy();
      broker.destroy();
    }
  }

  #listen(node: number, brokerPort: number): Promise<void> {
    const server = createServer((client) => {
      this.#accept(client, node, brokerPort);
    });
    this.#servers.push(server);
    return new Promise((resolve) => {
      server.listen(0, LOOPBACK, () => {
        const address = server.address();
        if (address !== null && typeof address === 'object') this.#ports.set(brokerPort, address.port);
        resolve();
      });
    });
  }

  #accept(client: Socket, node: number, brokerPort: number): void {
    const broker = connect(brokerPort, LOOPBACK);
    client.setNoDelay(true);
    broker.setNoDelay(true);
    const link: Link = { client, broker, node, awaited: new Map(), mute: false, orphan: false };
    this.#links.add(link);
    const [requests, answers] = [new FrameSplitter(), new FrameSplitter()];
    for (const socket of [client, broker]) socket.on('error', () => socket.destroy());
    client.on('data', (bytes) => {
      for (const frame of requests.take(bytes)) this.#request(link, frame);
    });
    broker.on('data', (bytes) => {
      for (const frame of answers.take(bytes)) this.#answer(link, frame);
    });
    client.on('close', () => {
      if (!link.orphan) broker.destroy();
    });
    broker.on('close', () => {
      client.destroy();
      this.#links.delete(link);
      // The connection ended for another reason before the broker had answered: the order still stands.
      for (const { order } of link.awaited.values()) if (order !== undefined) this.#orders.push(order);
    });
  }

  #request(link: Link, frame: Buffer): void {
    const cut = this.#cuts.get(link.node);
    if (cut === 'toBroker' || cut === 'both') {
      link.mute = true;
      return;
    }
    if (link.orphan) return;
    const head = requestHead(frame);
    const order = this.#takeOrder(head, frame);
    // A request that expects no answer (Produce with acks 0) is not sent by libs/shell/kafka.
    link.awaited.set(head.correlationId, { head, order });
    if (order?.fault.kind !== 'late') {
      link.broker.write(frame);
      return;
    }
    link.orphan = true;
    link.client.destroy();
    setTimeout(() => link.broker.write(frame), order.fault.lateMs);
  }

  /** Clock records are produced outside any transaction: faults of Produce skip them. */
  #takeOrder({ apiKey }: RequestHead, frame: Buffer): Order | undefined {
    const index = this.#orders.findIndex(({ fault }) => apiKeys[fault.api] === apiKey);
    if (apiKey === apiKeys.Produce && index >= 0 && !isTransactional(frame)) return undefined;
    return index < 0 ? undefined : this.#orders.splice(index, 1)[0];
  }

  #answer(link: Link, frame: Buffer): void {
    const id = correlationIdOf(frame);
    const awaited = link.awaited.get(id);
    link.awaited.delete(id);
    if (awaited?.order !== undefined) {
      this.#spoil(link, awaited.order, frame);
      return;
    }
    const cut = this.#cuts.get(link.node);
    if (cut === 'toClient' || cut === 'both') link.mute = true;
    if (link.mute || link.orphan) return;
    try {
      if (awaited !== undefined) redirect(frame, awaited.head, (port) => this.#ports.get(port) ?? port);
      link.client.write(frame);
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
      link.client.destroy();
    }
  }

  #spoil(link: Link, { fault, done }: Order, frame: Buffer): void {
    if (fault.kind === 'silence') link.mute = true;
    else {
      link.client.destroy();
      link.broker.destroy();
    }
    done(fault.api === 'EndTxn' ? endTxnError(frame) : 0);
  }
}
