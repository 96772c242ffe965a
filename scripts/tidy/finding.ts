/** An objection of tidy. */
export interface Finding {
  /** Path from the workspace's root, with `:line` if there is one. */
  readonly at: string;
  /** The fault, and the remedy. */
  readonly message: string;
}
