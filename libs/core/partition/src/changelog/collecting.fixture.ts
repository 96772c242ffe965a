// A kind that collects bytes, for tests of the changelog: a number that touches say, one that they do not, and state of any length.
import { ByteReader } from '@flatline/base';
import { type EntryFormat, EntryWindow, type StateWindow } from '@flatline/kinds';

export class CollectingWindow extends EntryWindow {
  readonly #state: StateWindow;

  constructor(memory: ConstructorParameters<typeof EntryWindow>[0]) {
    super(memory);
    this.#state = memory.stateWindow();
  }

  get touched(): number {
    return this.f64[this.f]!;
  }
  set touched(value: number) {
    this.f64[this.f] = value;
  }

  /** A change of it reshapes the entry. */
  get shape(): number {
    return this.f64[this.f + 1]!;
  }
  set shape(value: number) {
    this.f64[this.f + 1] = value;
  }

  /** Good until another is asked for. */
  get state(): StateWindow {
    return this.#state.at(this.slot);
  }

  get collected(): Uint8Array {
    const { bytes, start, length } = this.state;
    return bytes.slice(start, start + length);
  }
}

export const collecting: EntryFormat<CollectingWindow> = {
  window: (memory) => new CollectingWindow(memory),
  encode: ({ touched, shape }, out) => {
    out.varint(touched);
    out.varint(shape);
    return 0;
  },
  decode: (bytes, start, end, entry) => {
    const input = new ByteReader(bytes, start, end);
    entry.touched = input.varint();
    entry.shape = input.varint();
    return input.position;
  },
  encodeTouch: ({ touched }, { clock }, out) => {
    out.signedVarint(clock - touched);
  },
  decodeTouch: (bytes, start, end, { clock }, entry) => {
    entry.touched = clock - new ByteReader(bytes, start, end).signedVarint();
  },
};
