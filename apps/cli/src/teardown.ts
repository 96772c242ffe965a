import { messageOf } from '@flatline/base';

/** What is to be stopped at the end, last first, each whatever becomes of the others. */
export class Teardown {
  readonly #say: (problem: string) => void;
  readonly #steps: (() => Promise<void> | void)[] = [];
  #over = false;

  /** `say` hears what would not stop. */
  constructor(say: (problem: string) => void) {
    this.#say = say;
  }

  /** What comes up after the end is stopped at once. */
  add(step: () => Promise<void> | void): void {
    if (this.#over) void this.#take(step);
    else this.#steps.push(step);
  }

  /** Never throws: at the end of a command nothing can be done about what will not stop but to say so. */
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
