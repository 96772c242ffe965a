/** Collects what a machine has said, and how many lives it has begun, since it was last asked. */
export abstract class Telling<Said> {
  #said: Said[] = [];
  #opened = 0;

  takeSaid(): readonly Said[] {
    const said = this.#said;
    this.#said = [];
    return said;
  }

  takeOpened(): number {
    const opened = this.#opened;
    this.#opened = 0;
    return opened;
  }

  protected tell(...said: readonly Said[]): void {
    this.#said.push(...said);
  }

  protected began(): void {
    this.#opened += 1;
  }
}
