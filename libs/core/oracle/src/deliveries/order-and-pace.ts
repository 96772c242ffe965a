// In which order deliveries of a key are attempted, and how many at once and in a second (N4).
import { type BegunAttempt, type DeliveryEvidence, isSuccess, type JudgedEndpoint } from './evidence.ts';
import { isWantedBy, type Output } from './outputs.ts';
import { givenUpBy } from './written.ts';

export function judgePace(
  { name, maxInFlight, maxPerSecond }: JudgedEndpoint,
  begun: readonly BegunAttempt[],
): string[] {
  const processes = new Set(begun.map(({ run }) => run.split('#')[0]!));
  return [...processes].flatMap((process) => {
    const own = begun.filter(({ run }) => run.startsWith(`${process}#`));
    const found: string[] = [];
    for (const { at, id } of own) {
      const underWay = own.filter((each) => each.at <= at && (each.endedAt ?? Infinity) > at).length;
      if (underWay > maxInFlight) found.push(`[N4] ${name}: ${underWay} are under way from ${process} as ${id} begins`);
      const inSecond = own.filter((each) => each.at > at - 1_000 && each.at <= at).length;
      // GA2: a twentieth more for timers that came late, and one at each end. What is let through begins once it is kept, so as many
      // as may be under way may have been let through before.
      if (maxPerSecond !== undefined && inSecond > 1.05 * maxPerSecond + 1 + maxInFlight)
        found.push(`[N4] ${name}: ${inSecond} begin within a second from ${process}`);
    }
    return found.slice(0, 1);
  });
}

/** An attempt begins when its predecessors of its key are done with; with `supersede` no earlier one comes after a later one. */
export function judgeOrder(
  endpoint: JudgedEndpoint,
  evidence: DeliveryEvidence,
  outputs: readonly Output[],
  begun: readonly BegunAttempt[],
): string[] {
  if (endpoint.order !== 'key' && !endpoint.supersede) return [];
  const found: string[] = [];
  const givenUp = givenUpBy(endpoint, evidence);
  for (const attempt of begun) {
    if (attempt.isStale) continue;
    const own = outputs.find(({ id }) => id === attempt.id);
    if (own === undefined) continue;
    for (const { id } of predecessorsOf(own, endpoint, outputs)) {
      const late = begun.find((each) => each.id === id && !each.isStale && each.at > attempt.at);
      const isOver =
        begun.some((each) => each.id === id && isSuccess(each) && each.heard!.answer!.at <= attempt.at) ||
        givenUp.some((each) => each.id === id && each.at <= attempt.at) ||
        (endpoint.supersede && late === undefined);
      if (!isOver)
        found.push(
          `[N4] ${endpoint.name}: ${attempt.id} is attempted at ${attempt.at} before ${id}, of its key ${own.key}, is done with`,
        );
    }
  }
  return found;
}

function predecessorsOf(own: Output, endpoint: JudgedEndpoint, outputs: readonly Output[]): readonly Output[] {
  return outputs.filter(
    (each) =>
      each.key === own.key &&
      each.partition === own.partition &&
      each.offset < own.offset &&
      isWantedBy(endpoint, each),
  );
}
