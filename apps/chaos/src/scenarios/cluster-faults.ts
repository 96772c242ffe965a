// F7, F8, F23: one node of three cut off, killed, bounced, frozen.
import type { BrokerNode } from '@flatline/dev-broker';
import { type Cut, KafkaProxy } from '../proxy/kafka-proxy.ts';
import type { RunContext, RunResult, Scenario } from '../scenario.ts';
import { elapse } from '../stage/elapse.ts';
import { Trial } from '../stage/trial.ts';

const cuts: readonly Cut[] = ['both', 'toBroker', 'toClient'];
const cutMs = 10_000;
const betweenMs = 6_000;
const warmMs = 4_000;
const frozenMs = 12_000;
const clustered = { replication: 3 as const, timeoutMs: 3_000 };

export const cutOff: Scenario = {
  id: 'F7',
  title: 'processors cut off from one node of three, one way or both',
  nodes: 3,
  variants: cuts.length,
  run: async (context) => {
    const proxy = await KafkaProxy.open(context.broker.bootstrap);
    try {
      const trial = await Trial.begin(context, { ...clustered, processorBrokers: proxy.bootstrap });
      const cut = cuts[context.index % cuts.length]!;
      trial.variant = `each node in turn cut off for ${cutMs / 1000} s: ${cut}`;
      trial.load();
      const processor = await trial.started();
      await elapse(warmMs);
      for (const [index] of context.broker.nodes.entries()) {
        trial.armed += 1;
        proxy.cut(index, cut);
        await elapse(cutMs);
        // Recovery is counted from the healing.
        if (proxy.heal(index) > 0) trial.hit();
        await elapse(betweenMs);
      }
      const result = await trial.settle([processor]);
      if (proxy.failure !== undefined) throw proxy.failure;
      return result;
    } finally {
      proxy.close();
    }
  },
};

type NodeFault = (node: BrokerNode) => Promise<void>;

const nodeFaults: readonly (readonly [string, NodeFault])[] = [
  [
    'killed',
    async (node) => {
      await node.kill9();
      await node.start();
    },
  ],
  [
    'bounced',
    async (node) => {
      await node.stop();
      await node.start();
    },
  ],
];

export const nodeLoss: Scenario = {
  id: 'F8',
  title: 'each of three nodes killed, or bounced, in turn',
  nodes: 3,
  variants: nodeFaults.length,
  run: (context) => throughNodes(context, nodeFaults[context.index % nodeFaults.length]!, {}),
};

export const frozenNode: Scenario = {
  id: 'F23',
  title: 'each of three nodes frozen in turn: followers behind, leaders with fetches pending',
  nodes: 3,
  variants: 1,
  run: (context) => {
    const freeze: NodeFault = async (node) => {
      await node.pause();
      await elapse(frozenMs);
      await node.resume();
    };
    // Little traffic: silence has to be proved by clock records.
    return throughNodes(context, ['frozen', freeze], { ratePerSecond: 20, heartbeatMs: 1_000, beats: 8 });
  },
};

async function throughNodes(
  context: RunContext,
  [name, fault]: readonly [string, NodeFault],
  load: { readonly ratePerSecond?: number; readonly heartbeatMs?: number; readonly beats?: number },
): Promise<RunResult> {
  const trial = await Trial.begin(context, clustered);
  trial.variant = `each node in turn ${name}`;
  trial.load(load);
  const processors = [await trial.started('a'), await trial.started('b')];
  await elapse(warmMs);
  for (const node of context.broker.nodes) {
    trial.armed += 1;
    trial.faultsAt.push(Date.now());
    const before = node.pid;
    await fault(node);
    if (before !== undefined) trial.fired += 1;
    await elapse(betweenMs);
  }
  return trial.settle(processors);
}
