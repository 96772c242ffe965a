/** The keeper's message to the command that starts a detached broker. Apart from keeper.ts, which runs when imported. */
export type KeeperReport =
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string; readonly misconfigured: boolean };
