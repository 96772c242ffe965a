/** Something tidy objects to. */
export interface Finding {
  /** Path from the workspace's root, with `:line` where there is one. */
  readonly at: string;
  /** What is wrong, and what to do. */
  readonly message: string;
}
