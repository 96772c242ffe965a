// F1, F3 and F5 of chains: pipelines of which one's outputs are another one's input by routes (P3), all in the processes that break.
import type { ConfigurationInput } from '@flatline/config';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { Trial } from '../trial/trial.ts';
import { breakPair, faultsOf, SESSION_TIMEOUT_MS } from './pair.ts';

type Section = ConfigurationInput['pipelines'][number];

interface Chain {
  readonly name: string;
  readonly routes: NonNullable<Section['routes']>;
  readonly further: Section[];
}

/** The judge reads what lies there once for each partition and pipeline. */
const RATE_PER_SECOND = 80;
const REMIND = { 'flatline-delay-ms': '1s' };

function chainsOf(name: string): readonly Chain[] {
  const topic = (of: string): string => `${name}-${of}`;
  const reminders: Section = {
    name: 'reminders',
    kind: 'schedule',
    input: { topic: topic('reminders') },
    output: { topic: topic('reminders-due') },
  };
  return [
    {
      name: 'sessions, then schedules',
      routes: [
        { on: ['TIMEOUT'], to: topic('reminders'), value: '/incarnation', headers: REMIND },
        { on: ['ENDED'], to: topic('reminders'), value: null },
      ],
      further: [reminders],
    },
    {
      name: 'sessions, then windows, then schedules',
      routes: [{ on: ['TIMEOUT'], to: topic('groups'), key: '/eventCount', value: '/incarnation' }],
      further: [
        {
          name: 'groups',
          kind: 'debounce',
          waitMs: 500,
          maxWaitMs: 3_000,
          input: { topic: topic('groups') },
          output: { topic: topic('groups-out') },
          routes: [
            {
              to: topic('reminders'),
              value: '/items',
              headers: { ...REMIND, 'flatline-schedule-id': '/windowId' },
            },
          ],
        },
        reminders,
      ],
    },
  ];
}

export const chain: Scenario = {
  id: 'chain',
  title: 'chains of two and three pipelines: instances killed and frozen, brokers restarted',
  nodes: 1,
  variants: 2,
  countsFaults: true,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const chains = chainsOf(context.name);
  const { name, routes, further } = chains[context.index % chains.length]!;
  const trial = await Trial.begin(context, {
    pipeline: { routes } as object,
    further,
    kafka: { sessionTimeoutMs: SESSION_TIMEOUT_MS, heartbeatIntervalMs: 200 },
  });
  const faults = faultsOf(context);
  trial.variant = `${name}: ${faults.join(', ')}`;
  trial.load({ ratePerSecond: RATE_PER_SECOND });
  const result = await trial.conclude(await breakPair(trial, faults));
  // A chain of which nothing came has shown nothing.
  const routed = Number(result.facts['routed'] ?? 0);
  return { ...result, armed: result.armed + 1, fired: result.fired + (routed > 0 ? 1 : 0) };
}
