import { type DeliveryEvidence, judgeDeliveries, waitingIn } from '@flatline/oracle/deliveries';
import type { SeedResult } from '../tally.ts';
import { DeliveryWorld } from './delivery-world.ts';
import { judgedByLogs } from './judged-by-logs.ts';
import { judgedSecret } from './judged-secret.ts';
import { PIPELINE } from './scenario.ts';

/** Findings of one world that are told. */
const FINDINGS_MAX = 5;
const LINES_MAX = 60;

export async function liveDeliveryWorld(seed: number): Promise<SeedResult> {
  const world = new DeliveryWorld(seed);
  const { time, faults } = world.simulation;
  const violations = await judged(world).catch((error: unknown) => [
    String(error instanceof Error ? error.stack : error),
  ]);
  return {
    seed,
    kind: undefined,
    world: 'deliveries',
    violations: violations.slice(0, FINDINGS_MAX),
    virtualMs: time.nowMs,
    fired: [...faults.fired(), ...reached(world)],
    lines: violations.length > 0 ? world.lines.slice(-LINES_MAX) : [],
  };
}

async function judged(world: DeliveryWorld): Promise<readonly string[]> {
  await world.live(() => waitingIn(evidenceOf(world)).length === 0);
  const byLogs: string[] = [];
  for (let partition = 0; partition < world.scenario.partitions; partition += 1)
    byLogs.push(...(await judgedByLogs(world, partition)));
  return [...world.failures, ...world.ledger.breaches, ...judgeDeliveries(evidenceOf(world)), ...byLogs];
}

function evidenceOf({ simulation, scenario, notified, ledger, sites }: DeliveryWorld): DeliveryEvidence {
  const committed = (topic: string) =>
    Array.from({ length: scenario.partitions }, (_, partition) => simulation.log.committed(topic, partition));
  return {
    pipeline: PIPELINE,
    endpoints: notified.endpoints.map(({ name, ...rules }) => ({
      ...rules,
      name,
      secrets: scenario.secrets.get(name)!.map(judgedSecret),
      saidGone: sites.all.find(({ endpoint }) => endpoint === name)!.saidGone,
    })),
    outputs: committed(notified.pipeline.output.topic),
    kept: committed(notified.deliveries.input.topic),
    undeliverable: committed(notified.undeliverableTopic),
    begun: ledger.begun,
    positions: ledger.positions,
  };
}

/** Counts of what the judge looked at. */
function reached({ ledger: { begun }, notified, simulation, scenario }: DeliveryWorld): [string, number][] {
  const twice = begun.filter(
    ({ id, endpoint }, i) => begun.findIndex((each) => each.id === id && each.endpoint === endpoint) < i,
  );
  let breakers = 0;
  for (let partition = 0; partition < scenario.partitions; partition += 1)
    breakers += simulation.log
      .committed(notified.deliveries.input.topic, partition)
      .filter(({ headers }) =>
        headers.some(({ name, value }) => name === 'breaker' && Buffer.from(value ?? []).includes('"open"')),
      ).length;
  const all: [string, number][] = [
    ['attempts', begun.length],
    ['attemptsAgain', twice.length],
    ['attemptsStale', begun.filter(({ isStale }) => isStale).length],
    ['breakersOpened', breakers],
  ];
  return all.filter(([, times]) => times > 0);
}
