// Facts that other instances of the groups tell of themselves, while somebody watches this one.
//
// Owns: one connection to each, and the facts that came over it.
// Does not own: who they are (the group tells), how they are reached (OtherInstances).
//
//   followed ──▶ connecting ──▶ heard ──▶ lost ──▶ pause ──▶ connecting …     until it is followed no more
import type { Cancel, Clock, DurationMs } from '@flatline/base';
import { DELIVERIES, type Facts, FIGURES, NOW, PART } from './facts.ts';

const AGAIN_MS: DurationMs = 2_000;
/** One that lives tells the time with each of its looks, which are some seconds apart at most. */
const SILENT_MS: DurationMs = 15_000;
/** Instances beyond are not asked. */
const PEERS_MAX = 64;
/** The first line of one with thousands of partitions has hundreds of kilobytes. */
const LINE_LENGTH_MAX = 16 * 1024 * 1024;
const OWNED = '{"role":"owner"';

/** Where an instance is, and a group that it is of. */
export type Endpoints = ReadonlyMap<string, string>;

export interface PeersParts {
  /** Pieces of what it tells, until `signal`. @throws where it does not */
  open(endpoint: string, group: string, signal: AbortSignal): Promise<AsyncIterable<string>>;
  readonly clock: Pick<Clock, 'after'>;
}

export class Peers {
  readonly #parts: PeersParts;
  readonly #peers = new Map<string, Peer>();

  constructor(parts: PeersParts) {
    this.#parts = parts;
  }

  /** Follows these instances, and no others. */
  follow(endpoints: Endpoints): void {
    for (const [endpoint, peer] of this.#peers)
      if (!endpoints.has(endpoint)) {
        peer.close();
        this.#peers.delete(endpoint);
      }
    for (const [endpoint, group] of endpoints)
      if (!this.#peers.has(endpoint) && this.#peers.size < PEERS_MAX)
        this.#peers.set(endpoint, new Peer(this.#parts, endpoint, group));
  }

  /** These facts, with what others tell of what is theirs. */
  joined(own: Facts): Facts {
    const all = new Map(own);
    for (const { facts } of this.#peers.values())
      for (const [path, fact] of facts) {
        if ((path.startsWith(FIGURES) || path.startsWith(DELIVERIES)) && !own.has(path)) all.set(path, fact);
        if (!path.startsWith(PART) || !fact.startsWith(OWNED) || all.get(path)?.startsWith(OWNED) !== false) continue;
        all.set(path, fact);
        const now = `${NOW}${path.slice(PART.length)}`;
        const far = facts.get(now);
        if (far !== undefined) all.set(now, far);
      }
    return all;
  }
}

class Peer {
  readonly facts = new Map<string, string>();
  readonly #parts: PeersParts;
  readonly #ending = new AbortController();
  #cancel: Cancel = () => undefined;
  #cancelGivingUp: Cancel = () => undefined;

  constructor(parts: PeersParts, endpoint: string, group: string) {
    this.#parts = parts;
    void this.#hear(endpoint, group);
  }

  close(): void {
    this.#ending.abort();
    this.#cancel();
    this.#cancelGivingUp();
  }

  /** Never rejects: one that is lost is asked again, and tells nothing until it answers. */
  async #hear(endpoint: string, group: string): Promise<void> {
    const hearing = new AbortController();
    const signal = AbortSignal.any([this.#ending.signal, hearing.signal]);
    try {
      let rest = '';
      this.#heard(hearing);
      for await (const piece of await this.#parts.open(endpoint, group, signal)) {
        this.#heard(hearing);
        const lines = (rest + piece).split('\n');
        rest = lines.pop()!;
        if (rest.length > LINE_LENGTH_MAX) throw new Error('it tells no end of one line');
        for (const line of lines) this.#take(line);
      }
    } catch {
      // It is shown as one that tells nothing here.
    }
    this.#cancelGivingUp();
    this.facts.clear();
    if (this.#ending.signal.aborted) return;
    this.#cancel = this.#parts.clock.after(AGAIN_MS, () => {
      void this.#hear(endpoint, group);
    });
  }

  /** A machine that is cut off ends no connection. */
  #heard(hearing: AbortController): void {
    this.#cancelGivingUp();
    if (this.#ending.signal.aborted) return;
    this.#cancelGivingUp = this.#parts.clock.after(SILENT_MS, () => {
      hearing.abort();
    });
  }

  #take(line: string): void {
    const { facts, gone = [] } = JSON.parse(line) as { readonly facts: object; readonly gone?: readonly string[] };
    for (const [path, fact] of Object.entries(facts)) this.facts.set(path, JSON.stringify(fact));
    for (const path of gone) this.facts.delete(path);
  }
}
