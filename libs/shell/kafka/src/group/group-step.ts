import { Retriable } from '@flatline/base';
import { codeOf, KafkaCode } from '../connection/index.ts';

/** Reaction of a member to an error of the group protocol. */
export type GroupStep =
  /** Join again under the same id. `lost`: what was assigned before is no longer this member's by right. */
  | { readonly kind: 'rejoin'; readonly lost: boolean }
  /** The group does not know the id any more: join as a newcomer. */
  | { readonly kind: 'rejoinAsNew' }
  /** Ask for the coordinator and try again; the membership stands meanwhile. */
  | { readonly kind: 'findCoordinator' }
  /** Another process has joined under this instance's id: the group knows that one only. */
  | { readonly kind: 'replaced' }
  /** The coordinator is reading the group: try again. */
  | { readonly kind: 'wait' }
  /** Trying again would change nothing. */
  | { readonly kind: 'fail' };

const FENCED_INSTANCE_ID = 82;

const stepsByCode: ReadonlyMap<number, GroupStep> = new Map<number, GroupStep>([
  [KafkaCode.coordinatorLoadInProgress, { kind: 'wait' }],
  [KafkaCode.coordinatorNotAvailable, { kind: 'findCoordinator' }],
  [KafkaCode.notCoordinator, { kind: 'findCoordinator' }],
  [KafkaCode.rebalanceInProgress, { kind: 'rejoin', lost: false }],
  [KafkaCode.illegalGeneration, { kind: 'rejoin', lost: true }],
  [KafkaCode.unknownMemberId, { kind: 'rejoinAsNew' }],
  [FENCED_INSTANCE_ID, { kind: 'replaced' }],
]);

/** Total: an error without a code of its own is the coordinator out of reach where it is Retriable, else the end. */
export function stepAfter(error: unknown): GroupStep {
  const code = codeOf(error);
  const known = code === undefined ? undefined : stepsByCode.get(code);
  return known ?? (error instanceof Retriable ? { kind: 'findCoordinator' } : { kind: 'fail' });
}
