import type { KindName, Millis } from '@flatline/base';

/** One key's answer (docs/OPERATIONS.md, Looking a key up). Beside these the fields of the entry, by the names of its kind. */
export interface DirectoryEntry {
  readonly key: string;
  /** Where the key is no UTF-8. */
  readonly keyBase64?: string;
  readonly pipeline: string;
  readonly kind: KindName;
  /** `moving`, `restoring`: it cannot be said now. */
  readonly state: 'live' | 'none' | 'moving' | 'restoring';
  readonly partition: number;
  /** All of the input below `position` counts, and the partition's clock has come so far. */
  readonly asOf?: { readonly clock: Millis; readonly position: number };
  readonly from?: 'owner' | 'standby';
  readonly lagMs?: number;
  /** Name of the instance that has the partition. */
  readonly owner?: string;
  readonly detail?: string;
  readonly retryAfterMs?: number;
  readonly [field: string]: unknown;
}
