/** What is to be stopped at the end, last first, each whatever becomes of the others. */
export class Teardown {
  readonly #steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  /** Never throws: at the end of a command nothing can be done about what will not stop but to say so. */
  async run(say: (problem: string) => void): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        say(`while stopping: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}
