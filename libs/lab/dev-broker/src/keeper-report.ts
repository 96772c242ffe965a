/** What the keeper of a detached broker tells the command that started it. Apart from keeper.ts, which runs when imported. */
export type KeeperReport =
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string; readonly misconfigured: boolean };
