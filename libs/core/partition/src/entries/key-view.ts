const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * The view of the bytes last asked about. Keys come by the thousand out of one buffer, and a view reads four bytes of them
 * at a time; making one for each would cost more than it saves.
 */
export class KeyView {
  #bytes = NOTHING;
  #view: DataView = new DataView(this.#bytes.buffer);

  of(bytes: Uint8Array): DataView {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    return this.#view;
  }

  /** Lets go of the bytes: they are part of a whole fetch answer. */
  release(): void {
    this.of(NOTHING);
  }
}
