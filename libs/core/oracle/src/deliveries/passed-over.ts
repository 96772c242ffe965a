// A committed position moves only beyond deliveries that are kept by then, or done with; and in the end none is lost (N3).
import type { Millis } from '@flatline/base';
import { type BegunAttempt, type DeliveryEvidence, isSuccess, type JudgedEndpoint } from './evidence.ts';
import { isWantedBy, type Output, outputsIn } from './outputs.ts';
import { givenUpBy } from './written.ts';

interface Passing {
  readonly of: string;
  readonly begun: readonly BegunAttempt[];
  readonly passedAt: Millis;
  readonly keptAt: Millis;
}

/** When an output was below the committed position for the first time. */
export function passedAtOf({ partition, offset }: Output, { positions }: DeliveryEvidence): Millis {
  return positions.find((each) => each.partition === partition && each.offset > offset)?.at ?? Infinity;
}

export function judgePassing(
  output: Output,
  endpoint: JudgedEndpoint,
  evidence: DeliveryEvidence,
  { of, begun, passedAt, keptAt }: Passing,
): string[] {
  if (passedAt === Infinity || keptAt <= passedAt || !isWantedBy(endpoint, output)) return [];
  const isDone =
    begun.some((each) => isSuccess(each) && each.heard!.answer!.at <= passedAt) ||
    givenUpBy(endpoint, evidence).some(({ id, at }) => id === output.id && at <= passedAt) ||
    (endpoint.supersede && isReplaced(output, endpoint, evidence));
  return isDone ? [] : [`[N3] ${of} is neither kept nor done with, and was passed over at ${passedAt}`];
}

/** By one that was taken before the commit that moved the position beyond it. */
function isReplaced({ key, partition, offset }: Output, endpoint: JudgedEndpoint, evidence: DeliveryEvidence): boolean {
  const passing = evidence.positions.find((each) => each.partition === partition && each.offset > offset)!;
  const taken = outputsIn(evidence.pipeline, evidence.outputs[partition]!, partition);
  return taken.some(
    (each) => each.key === key && each.offset > offset && each.offset < passing.offset && isWantedBy(endpoint, each),
  );
}

/** Outputs that an endpoint wants, and that are neither delivered, nor given up, nor replaced. */
export function outstanding(
  endpoint: JudgedEndpoint,
  evidence: DeliveryEvidence,
  outputs: readonly Output[],
): readonly Output[] {
  const delivered = evidence.begun.filter((each) => each.endpoint === endpoint.name && isSuccess(each));
  const done = new Set([...delivered, ...givenUpBy(endpoint, evidence)].map(({ id }) => id));
  return outputs.filter((output) => {
    if (!isWantedBy(endpoint, output) || done.has(output.id)) return false;
    const replaces = (later: Output): boolean =>
      later.key === output.key &&
      later.partition === output.partition &&
      later.offset > output.offset &&
      isWantedBy(endpoint, later);
    return !(endpoint.supersede && outputs.some(replaces));
  });
}
