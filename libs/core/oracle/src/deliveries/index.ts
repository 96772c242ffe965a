export { judgeDeliveries, waitingIn } from './delivery-judge.ts';
export type {
  BegunAttempt,
  CommittedPosition,
  DeliveryEvidence,
  HeardRequest,
  JudgedSecret,
  SiteAnswer,
} from './evidence.ts';
