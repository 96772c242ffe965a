import type { Counted } from './entry-rules.ts';

const NOTHING: readonly never[] = [];
const NONE: Counted = { opened: 0, duplicates: 0 };

/** Collects the records and counts of a machine since it was last asked. */
export abstract class Telling<Said> {
  #said: Said[] | undefined;
  #counted = NONE;

  takeSaid(): readonly Said[] {
    const said = this.#said;
    this.#said = undefined;
    return said ?? NOTHING;
  }

  takeCounted(): Counted {
    const counted = this.#counted;
    this.#counted = NONE;
    return counted;
  }

  protected tell(...said: readonly Said[]): void {
    (this.#said ??= []).push(...said);
  }

  /** Less than 0: lives that turned out to be one with another. */
  protected began(lives = 1): void {
    if (lives !== 0) this.#counted = { ...this.#counted, opened: this.#counted.opened + lives };
  }

  protected repeated(duplicates: number): void {
    if (duplicates > 0) this.#counted = { ...this.#counted, duplicates: this.#counted.duplicates + duplicates };
  }
}
