// One request over undici's agent, and the beginning of its answer (N2, N5).
//
// By undici's handlers: its `request` makes a stream of each answer and listens to a signal of each caller, which costs as much again
// as the request does. Once it is over, by an answer, an error or its time, whatever else happens to it is ignored.
//
// Owns: the request's time, what is read of its answer.
import type { Cancel, Clock, DurationMs } from '@flatline/base';
import type { Dispatcher } from 'undici';
import { ANSWER_BYTES_MAX } from './answer-text.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** As much of its body as came soon enough, up to ANSWER_BYTES_MAX. */
  readonly beginning: Uint8Array;
}

export interface ExchangeParts {
  readonly clock: Clock;
  readonly timeoutMs: DurationMs;
  /** Called once: an error where there is no answer. */
  readonly over: (answer: Answer | Error) => void;
}

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** Longest wait for the body behind the head of an answer. */
const BODY_MS: DurationMs = 1_000;

export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #parts: ExchangeParts;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Omit<Answer, 'beginning'> | undefined;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  /** By the monotonic clock. */
  readonly #endsAtMs: DurationMs;
  #cancel: Cancel;
  #isOver = false;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    const { clock, timeoutMs } = parts;
    this.#endsAtMs = clock.monotonicMs() + timeoutMs;
    this.#cancel = clock.after(timeoutMs, () => {
      this.end(new Error(`no answer within ${timeoutMs} ms`));
    });
  }

  /** Ends it: a connection on which something is under way is thrown away. No-op if it is over. */
  end(why: Error): void {
    this.#settle(why);
    this.#controller?.abort(why);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Its time was over before it had a connection: nothing is sent.
    if (this.#isOver) controller.abort(new Error('it is over'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.#isOver) return;
    this.#head = { status, headers };
    const { clock } = this.#parts;
    this.#cancel();
    this.#cancel = clock.after(Math.min(BODY_MS, this.#endsAtMs - clock.monotonicMs()), () => {
      this.end(new Error('its answer takes too long'));
    });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    // Whatever follows ends its connection.
    if (this.#length >= ANSWER_BYTES_MAX) this.end(new Error('its answer is too long'));
  }

  onResponseEnd(): void {
    this.#settle(undefined);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settle(error);
  }

  /** Once its status has come that is the answer, whatever becomes of the rest. */
  #settle(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancel();
    const { over } = this.#parts;
    if (this.#head === undefined) over(error ?? new Error('it was ended without an answer'));
    else over({ ...this.#head, beginning: Buffer.concat(this.#chunks).subarray(0, ANSWER_BYTES_MAX) });
  }
}
