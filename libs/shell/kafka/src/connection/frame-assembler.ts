// Puts the answers of a broker together out of the pieces in which a socket brings them: a length of four bytes, then as
// many bytes. Each answer gets memory of its own: a fetch answer is kept as long as its records are read in place.
//
// Owns: the answer not yet complete.
// Does not own: the socket, the memory pieces come in (used again at once).
//
// Invariants
//   FA1  Only whole answers are handed out, each with its length before it, in the order in which they came.
import { MalformedBytes, type ReusedMemory } from '@flatline/base';

const LENGTH_BYTES = 4;
/** Far above any answer. */
export const FRAME_BYTES_MAX = 512 * 1024 * 1024;

/** Peers that are no broker, as the error's `code`, which kafkajs keeps when it wraps errors. */
export const STRANGER = { http: 'ERR_HTTP_SERVER', tls: 'ERR_TLS_LISTENER' } as const;

const HTTP = Buffer.from('HTTP').readInt32BE();
/** A TLS alert record of version 3.x, whose length has a zero for its first byte (RFC 8446, 5.1). */
const TLS_ALERT_MIN = 0x15030000;
const TLS_ALERT_MAX = 0x15030400;

class StrangerError extends MalformedBytes {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

export class FrameAssembler {
  readonly #onFrame: (frame: Buffer) => void;
  readonly #memory: ReusedMemory | undefined;
  readonly #length = Buffer.alloc(LENGTH_BYTES);
  #frame: Buffer | undefined;
  /** Bytes received of `#frame`, or of `#length` while there is no frame. */
  #filled = 0;

  /** Without `memory` the garbage collector owns each answer. */
  constructor(onFrame: (frame: Buffer) => void, memory?: ReusedMemory) {
    this.#onFrame = onFrame;
    this.#memory = memory;
  }

  /** Takes the bytes of `piece`, which may be overwritten afterwards. @throws MalformedBytes where a length makes no sense. */
  push(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length) {
      const target = this.#frame ?? this.#length;
      const taken = Math.min(piece.length - at, target.length - this.#filled);
      target.set(piece.subarray(at, at + taken), this.#filled);
      at += taken;
      this.#filled += taken;
      if (this.#filled < target.length) return;
      if (this.#frame === undefined) this.#begin();
      else this.#end(this.#frame);
    }
  }

  #begin(): void {
    const length = this.#length.readInt32BE();
    if (length === HTTP) throw new StrangerError('an HTTP server answered', STRANGER.http);
    if (length >= TLS_ALERT_MIN && length <= TLS_ALERT_MAX && length % 256 === 0)
      throw new StrangerError('a TLS listener answered', STRANGER.tls);
    if (length < 0 || length > FRAME_BYTES_MAX) throw new MalformedBytes(`an answer of ${length} bytes`);
    const bytes = LENGTH_BYTES + length;
    this.#frame = this.#memory === undefined ? Buffer.allocUnsafeSlow(bytes) : pieceOf(this.#memory, bytes);
    this.#frame.set(this.#length);
    // An answer of no bytes is complete already, and `push` would wait for more.
    if (length === 0) this.#end(this.#frame);
  }

  #end(frame: Buffer): void {
    this.#frame = undefined;
    this.#filled = 0;
    this.#onFrame(frame);
  }
}

function pieceOf(memory: ReusedMemory, length: number): Buffer {
  return Buffer.from(memory.take(length).buffer, 0, length);
}
