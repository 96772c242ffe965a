import { type Clock, type DurationMs } from '@flatline/base';

/** A pause that can be cut short. One waiter at a time; a wake-up without a waiter cuts the next pause. */
export class Wait {
  readonly #clock: Clock;
  #resume: (() => void) | undefined;
  #woken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async for(delayMs: DurationMs): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(delayMs, resolve);
        this.#resume = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#resume = undefined;
    this.#woken = false;
  }

  wake(): void {
    this.#woken = true;
    this.#resume?.();
  }
}
