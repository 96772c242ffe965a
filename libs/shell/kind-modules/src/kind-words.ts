/** What a kind is called wherever a person reads of it. Loads nothing: the command's help has them. */
export interface KindWords {
  /** One entry; more of them with an "s". */
  readonly noun: string;
  /** Group of its commands (`flatline leases`), and what its help says of it. */
  readonly group: string;
  readonly groupHelp: string;
  /** What `flatline verify` counts: what there was, how it began, and how it ended. */
  readonly lives: readonly [what: string, opened: string, closed: string];
}
