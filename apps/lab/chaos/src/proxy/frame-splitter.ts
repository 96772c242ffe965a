/** Cuts a byte stream of the Kafka protocol into its frames, each with its size of four bytes before it. */
export class FrameSplitter {
  #rest: Buffer = Buffer.alloc(0);

  /** Returns the frames that are now complete. */
  take(chunk: Buffer): Buffer[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Buffer[] = [];
    while (bytes.length >= 4) {
      const size = 4 + bytes.readInt32BE(0);
      if (bytes.length < size) break;
      frames.push(bytes.subarray(0, size));
      bytes = bytes.subarray(size);
    }
    this.#rest = bytes;
    return frames;
  }
}
