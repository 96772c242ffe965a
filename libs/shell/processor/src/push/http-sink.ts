// A subscriber's connection.
import type { ServerResponse } from 'node:http';
import type { Clock, DurationMs } from '@flatline/base';
import type { Sink } from './subscriber.ts';

/** A connection with so much that the reader has not taken is full; one more event fits, so that at most twice as much waits. */
const FULL_BYTES = 32 * 1024;
/** Bytes still owed to a reader that has stopped are given up after so long. */
const LAST_WORDS_MS: DurationMs = 5_000;
/** After so long without room, a reader has stopped. */
export const STALLED_MS: DurationMs = 30_000;

export class HttpSink implements Sink {
  readonly #response: ServerResponse;
  readonly #clock: Pick<Clock, 'after'>;
  /** Called once there is room again. */
  onRoom: () => void = () => undefined;
  /** Called once, when the connection has gone. */
  onClosed: () => void = () => undefined;
  #isClosed: boolean;

  /** One that has gone by now is closed from the start: `onClosed` is not called. */
  constructor(response: ServerResponse, clock: Pick<Clock, 'after'>) {
    this.#response = response;
    this.#clock = clock;
    this.#isClosed = response.closed || response.destroyed;
    response.once('close', () => {
      this.#isClosed = true;
      this.onClosed();
      this.onRoom();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** So that a message of what is newest need not be made for a reader that has yet to take the last one. */
  get hasRoom(): boolean {
    return this.#response.writableLength < FULL_BYTES;
  }

  send(bytes: Buffer): boolean {
    if (this.#isClosed) return true;
    const isFull = this.#response.writableLength + bytes.length >= FULL_BYTES;
    if (isFull) this.#response.write(bytes, this.#flushed);
    else this.#response.write(bytes);
    // Bytes that the system has taken at once do not wait here.
    return !isFull || this.#response.writableLength < FULL_BYTES;
  }

  end(): void {
    if (this.#isClosed) return;
    this.#response.end();
    this.#clock.after(LAST_WORDS_MS, () => {
      if (!this.#isClosed) this.#response.destroy();
    });
  }

  /** Sends it, and waits until there is room. Before it is subscribed. False: the connection is over, or its reader has stopped. */
  async sent(bytes: Buffer): Promise<boolean> {
    if (!this.send(bytes)) {
      const isRoom = await new Promise<boolean>((resolve) => {
        const cancel = this.#clock.after(STALLED_MS, () => {
          resolve(false);
        });
        this.onRoom = () => {
          cancel();
          resolve(true);
        };
      });
      this.onRoom = () => undefined;
      if (!isRoom) this.end();
      return isRoom && !this.#isClosed;
    }
    return !this.#isClosed;
  }

  readonly #flushed = (): void => {
    this.onRoom();
  };
}
