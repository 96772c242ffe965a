import { messageOf } from '@flatline/base';

/** Things to stop at the end, last first, each regardless of how the others fare. */
export class Teardown {
  readonly #say: (problem: string) => void;
  readonly #steps: (() => Promise<void> | void)[] = [];
  #over = false;

  /** `say` hears what would not stop. */
  constructor(say: (problem: string) => void) {
    this.#say = say;
  }

  /** Anything added after the end is stopped at once. */
  add(step: () => Promise<void> | void): void {
    if (this.#over) void this.#take(step);
    else this.#steps.push(step);
  }

  /** @returns what is started: at the end that is waited for, since it could come after it, and then `stop` it. */
  async start<T>(starting: Promise<T>, stop: (started: T) => Promise<void> | void): Promise<T> {
    // The caller tells of a failure to start.
    this.add(async () => {
      await starting.then(stop, () => undefined);
    });
    return await starting;
  }

  /** Never throws: at the end of a command, all one can do about something that will not stop is say so. */
  async run(): Promise<void> {
    this.#over = true;
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await this.#take(step);
  }

  async #take(step: () => Promise<void> | void): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#say(`while stopping: ${messageOf(error)}`);
    }
  }
}
