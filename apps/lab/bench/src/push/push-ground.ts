import type { Ground } from '../frame/frame.ts';

/** `sessions`: subscribers. */
export type PushGround = Ground<{ readonly sessions: number; readonly partitions: number }>;
