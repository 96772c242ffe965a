/** Acts of an operator (Q4): header values in small letters. `evict` alone names no key. */
export type ActName = 'end' | 'release' | 'flush' | 'cancel' | 'pause' | 'resume' | 'trigger' | 'evict';

/** Names of a kind wherever a person reads of it. Loads nothing: the command's help has them. */
export interface KindWords {
  /** One entry; more of them with an "s". */
  readonly noun: string;
  /** Group of its commands (`flatline leases`), and what its help says of it. */
  readonly group: string;
  readonly groupHelp: string;
  /** Acts of an operator on its entries. */
  readonly acts: readonly ActName[];
  /** Words in which `flatline verify` counts its lives: their name, how they began, and how they ended. */
  readonly lives: readonly [what: string, opened: string, closed: string];
}
