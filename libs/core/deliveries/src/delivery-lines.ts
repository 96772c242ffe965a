// Deliveries that are remembered by name, and, where keys are told apart, in the lines of their keys.
//
// Owns: names, lines, the bodies of what is behind.
// Does not own: what becomes of them (EndpointQueue), the bodies of what is ready or under way.
//
// Invariants
//   DLN1  A line holds what is here of its key, in the order in which it came, and no line is empty.
//   DLN2  Bodies behind are counted: at most BEHIND_BYTES_MAX, and one body more.
//
// Checked
//   inspect    DLN1, DLN2
import type { Millis } from '@flatline/base';
import type { Delivery, DeliveryMark } from './delivery.ts';
import { BEHIND_BYTES_MAX } from './limits.ts';

export interface Here {
  readonly mark: DeliveryMark;
  place: 'ready' | 'flying' | 'away' | 'behind';
  /** There for what is ready or flying, and, while there is room, for what is behind. */
  delivery: Delivery | undefined;
  /** When it would come again by itself. */
  dueAt: Millis;
}

export class DeliveryLines {
  readonly #tellsKeys: boolean;
  readonly #here = new Map<string, Here>();
  readonly #byKey = new Map<string, Here[]>();
  #behindBytes = 0;

  constructor(tellsKeys: boolean) {
    this.#tellsKeys = tellsKeys;
  }

  get size(): number {
    return this.#here.size;
  }

  named(id: string): Here | undefined {
    return this.#here.get(id);
  }

  /** Empty where keys are not told apart. */
  lineOf({ key }: DeliveryMark): readonly Here[] {
    return this.#byKey.get(key) ?? [];
  }

  add(mark: DeliveryMark, place: Here['place']): Here {
    const here: Here = { mark, place, delivery: undefined, dueAt: Infinity };
    this.#here.set(mark.id, here);
    if (!this.#tellsKeys) return here;
    const line = this.#byKey.get(mark.key);
    if (line === undefined) this.#byKey.set(mark.key, [here]);
    else line.push(here);
    return here;
  }

  /** Returns who is the first of its line now. */
  remove(here: Here): Here | undefined {
    const { mark } = here;
    if (here.place === 'behind') this.#behindBytes -= here.delivery?.body.length ?? 0;
    this.#here.delete(mark.id);
    const line = this.#byKey.get(mark.key);
    if (line === undefined) return undefined;
    line.splice(line.indexOf(here), 1);
    if (line.length === 0) this.#byKey.delete(mark.key);
    return line[0];
  }

  /** It waits for another of its key, with its body while there is room for that. */
  wait(here: Here, delivery: Delivery): void {
    here.place = 'behind';
    if (this.#behindBytes >= BEHIND_BYTES_MAX) return;
    here.delivery = delivery;
    this.#behindBytes += delivery.body.length;
  }

  /** It is the first of its line now; returns its body, if that is at hand. */
  moveUp(here: Here): Delivery | undefined {
    here.place = 'away';
    this.#behindBytes -= here.delivery?.body.length ?? 0;
    return here.delivery;
  }

  /** It waits elsewhere, and is remembered only where keys are told apart. */
  sendAway(here: Here): void {
    here.place = 'away';
    here.delivery = undefined;
    if (!this.#tellsKeys) this.#here.delete(here.mark.id);
  }

  /** Invariants that do not hold, in words. */
  inspect(): readonly string[] {
    const wrong: string[] = [];
    let inLines = 0;
    for (const [key, line] of this.#byKey) {
      inLines += line.length;
      const places = line.map(({ place }) => place);
      if (places[0] === 'behind' || places.slice(1).some((place) => place !== 'behind'))
        wrong.push(`EQ1: of key ${key}: ${places.join(', ')}`);
      if (line.length === 0 || line.some((here) => this.#here.get(here.mark.id) !== here))
        wrong.push(`DLN1: the line of key ${key} is not that of what is here`);
    }
    if (this.#tellsKeys && inLines !== this.#here.size)
      wrong.push(`DLN1: ${inLines} of ${this.#here.size} are in lines`);
    const behind = [...this.#here.values()].filter(({ place }) => place === 'behind');
    const behindBytes = behind.reduce((sum, { delivery }) => sum + (delivery?.body.length ?? 0), 0);
    if (behindBytes !== this.#behindBytes)
      wrong.push(`DLN2: ${behindBytes} bytes are behind, ${this.#behindBytes} counted`);
    const largest = behind.reduce((most, { delivery }) => Math.max(most, delivery?.body.length ?? 0), 0);
    if (behindBytes - largest >= BEHIND_BYTES_MAX)
      wrong.push(`DLN2: ${behindBytes} bytes are behind, and at most ${BEHIND_BYTES_MAX} and one body may be`);
    return wrong;
  }
}
