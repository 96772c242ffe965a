// Places where a test may end the process from outside. In production nothing is ever armed: a
// pass is then one comparison, and passes are per step, commit, flush or restored block, never per record.
//
// Owns: what is armed in this process.      Does not own: where the wish comes from and how to end (the composition root).
import { assert } from './assert.ts';

/** In the order in which a life passes them first. */
export const FAILPOINTS = [
  /** The local store is loaded, as far as there is one; nothing of the changelog is read. */
  'restore.loaded',
  /** A block of the changelog has been applied. */
  'restore.block',
  /** The former owner is fenced, the claim not yet written. */
  'claim.opened',
  'claim.written',
  /** After poll: records are in hand, none is applied. */
  'input.read',
  /** Sessions have expired and nobody outside knows. */
  'wheel.fired',
  'proof.asked',
  'commit.cut',
  /** The coordinator knows the partitions of the transaction. */
  'commit.begun',
  'commit.produced',
  'commit.offsets',
  /** EndTxn is on its way, and its answer has not come. */
  'commit.endSent',
  'commit.ended',
  'commit.settled',
  /** Inside LMDB's transaction: entries are put, nothing is durable. */
  'store.writing',
  'store.written',
  /** The group has been left, tasks still run. */
  'shutdown.left',
  'shutdown.committed',
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];

interface Armed {
  readonly name: Failpoint;
  passesLeft: number;
  readonly act: () => void;
}

let armed: Armed | undefined;

/** Marks a place: does nothing unless it is armed. */
export function failpoint(name: Failpoint): void {
  if (armed !== undefined && armed.name === name) pass(armed);
}

/** For places that cost something to reach, such as a timer after a request has been sent. */
export function isFailpointArmed(name: Failpoint): boolean {
  return armed?.name === name;
}

/** From now on the `passes`th pass of `name` calls `act`, once. There is one armed failpoint per process. */
export function armFailpoint(name: Failpoint, passes: number, act: () => void): void {
  assert(Number.isSafeInteger(passes) && passes >= 1, 'a failpoint acts at its first pass or a later one', { passes });
  armed = { name, passesLeft: passes, act };
}

function pass(point: Armed): void {
  point.passesLeft -= 1;
  if (point.passesLeft > 0) return;
  armed = undefined;
  point.act();
}
