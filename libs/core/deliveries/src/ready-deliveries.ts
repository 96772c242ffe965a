// Deliveries in memory to be attempted, in the order in which they became so.
//
// Invariants
//   RDY1  At most READY_MAX, and READY_BYTES_MAX of bodies and one body more; each has its body.
//
// Checked
//   inspect    RDY1
import type { Delivery } from './delivery.ts';
import type { Here } from './delivery-lines.ts';
import { READY_BYTES_MAX, READY_MAX } from './limits.ts';

export class ReadyDeliveries {
  readonly #ready: Here[] = [];
  #bytes = 0;

  get length(): number {
    return this.#ready.length;
  }

  get first(): Here | undefined {
    return this.#ready[0];
  }

  get all(): readonly Here[] {
    return this.#ready;
  }

  get hasRoom(): boolean {
    return this.#ready.length < READY_MAX && this.#bytes < READY_BYTES_MAX;
  }

  push(here: Here, delivery: Delivery): void {
    here.place = 'ready';
    here.delivery = delivery;
    this.#ready.push(here);
    this.#bytes += delivery.body.length;
  }

  remove(here: Here): void {
    this.#ready.splice(this.#ready.indexOf(here), 1);
    this.#bytes -= here.delivery!.body.length;
  }

  /** Empties it. */
  takeAll(): readonly Here[] {
    this.#bytes = 0;
    return this.#ready.splice(0);
  }

  /** Invariants that do not hold, in words. */
  inspect(): readonly string[] {
    const bytes = this.#ready.reduce((sum, { delivery }) => sum + delivery!.body.length, 0);
    const beforeLast = bytes - (this.#ready.at(-1)?.delivery!.body.length ?? 0);
    const isBounded = this.#ready.length <= READY_MAX && beforeLast < READY_BYTES_MAX;
    const isSound = bytes === this.#bytes && isBounded;
    return isSound ? [] : [`RDY1: ${this.#ready.length} with ${bytes} bytes are ready, ${this.#bytes} counted`];
  }
}
