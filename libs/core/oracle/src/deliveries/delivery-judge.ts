// Judges deliveries by what lies on the topics and what sites have heard (N1–N5, V10): read from docs/SPEC.md and docs/FORMATS.md alone.
import { judgeAtRisk, judgeFenced } from './at-risk.ts';
import { judgeBreaker } from './breaker.ts';
import type { DeliveryEvidence, JudgedEndpoint } from './evidence.ts';
import { judgeGivenUp } from './ladder.ts';
import { judgeDelivery } from './one-delivery.ts';
import { judgeOrder, judgePace } from './order-and-pace.ts';
import { type Output, outputsOf } from './outputs.ts';
import { outstanding } from './passed-over.ts';
import { judgeRequest } from './requests.ts';

/** Returns what is wrong, each in words that begin with the rule. */
export function judgeDeliveries(evidence: DeliveryEvidence): string[] {
  const outputs = outputsOf(evidence);
  return [
    ...evidence.begun.flatMap((attempt) => judgeRequest(attempt, evidence, outputs)),
    ...evidence.endpoints.flatMap((endpoint) => judgeEndpoint(endpoint, evidence, outputs)),
  ];
}

/** Returns outputs that are still to be delivered, or given up, as `<endpoint>/<id>`. */
export function waitingIn(evidence: DeliveryEvidence): string[] {
  const outputs = outputsOf(evidence);
  return evidence.endpoints.flatMap((endpoint) =>
    outstanding(endpoint, evidence, outputs).map(({ id }) => `${endpoint.name}/${id}`),
  );
}

function judgeEndpoint(endpoint: JudgedEndpoint, evidence: DeliveryEvidence, outputs: readonly Output[]): string[] {
  const begun = evidence.begun.filter((each) => each.endpoint === endpoint.name);
  return [
    ...outstanding(endpoint, evidence, outputs).map(
      ({ id }) => `[N3] ${endpoint.name}: ${id} is neither delivered nor given up`,
    ),
    ...outputs.flatMap((output) => judgeDelivery(output, endpoint, evidence, begun)),
    ...evidence.kept.flatMap((_, partition) => judgeBreaker(endpoint, partition, evidence, begun)),
    ...judgeAtRisk(endpoint, evidence, outputs, begun),
    ...judgeFenced(endpoint, begun),
    ...judgePace(endpoint, begun),
    ...judgeOrder(endpoint, evidence, outputs, begun),
    ...judgeGivenUp(endpoint, evidence),
  ];
}
