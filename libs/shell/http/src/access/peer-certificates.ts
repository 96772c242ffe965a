// Instances of a group that show each other their certificates (mutual TLS).
//
// An authority signs more than the instances of one group. So a certificate of it is not enough: it has to be one for an address
// that the group itself has told, as the one who asks there demands it, too.
import { checkServerIdentity, TLSSocket } from 'node:tls';
import type { Duplex } from 'node:stream';
import type { PeerCertificates } from './admitting.ts';

export class GroupCertificates implements PeerCertificates {
  readonly #hosts: () => Promise<readonly string[]>;
  /** A connection that has been told from a stranger's. */
  readonly #peers = new WeakSet<Duplex>();

  /** `hosts`: names and addresses that instances of the group are reached at. */
  constructor(hosts: () => Promise<readonly string[]>) {
    this.#hosts = hosts;
  }

  isPeer(socket: Duplex): boolean | Promise<boolean> {
    // `authorized`: the chain leads to http.tls.ca, and is of this day.
    if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
    return this.#peers.has(socket) || this.#isToldOf(socket);
  }

  async #isToldOf(socket: TLSSocket): Promise<boolean> {
    const certificate = socket.getPeerCertificate();
    const hosts = await this.#hosts().catch(() => []);
    const isPeer = hosts.some((host) => checkServerIdentity(host, certificate) === undefined);
    if (isPeer) this.#peers.add(socket);
    return isPeer;
  }
}
