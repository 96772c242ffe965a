export type { Breaker } from './breaker.ts';
export type { Attempt, Delivery, DeliveryMark, DeliveryName, GivenUp, Outcome, Phase, Write } from './delivery.ts';
export { EndpointQueue, type EndpointRules, type KeptDelivery, type QueueCounters } from './endpoint-queue.ts';
export { afterStranding } from './stranded.ts';
export { Gate, type GateLimits } from './gate.ts';
