// F7, F8, F23: one node of three cut off, killed, bounced, frozen, isolated from the controllers.
import type { OutputRecord } from '@flatline/client/parts';
import type { BrokerNode } from '@flatline/dev-broker';
import { openCluster, type PartitionMetadata } from '@flatline/kafka';
import { type Cut, KafkaProxy } from '../proxy/kafka-proxy.ts';
import type { TrialContext, TrialResult, Scenario, Violation } from '../scenario.ts';
import type { Application } from '../stage/application.ts';
import { sleep } from '../stage/sleep.ts';
import { readOutputs } from '../stage/topic-records.ts';
import { Trial } from '../trial/trial.ts';

const cuts: readonly Cut[] = ['both', 'toBroker', 'toClient'];
const CUT_MS = 10_000;
const BETWEEN_MS = 6_000;
const WARM_MS = 4_000;
const FROZEN_MS = 12_000;
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
      trial.variant = `each node in turn cut off for ${CUT_MS / 1000} s: ${cut}`;
      trial.load();
      const processor = await trial.started();
      await sleep(WARM_MS);
      for (const [index] of context.broker.nodes.entries()) {
        trial.armed += 1;
        proxy.cut(index, cut);
        await sleep(CUT_MS);
        // Recovery is counted from the healing.
        if (proxy.heal(index) > 0) trial.hit();
        await sleep(BETWEEN_MS);
      }
      const result = await trial.conclude([processor]);
      if (proxy.failure !== undefined) throw proxy.failure;
      return result;
    } finally {
      proxy.close();
    }
  },
};

/**
 * Writers and coordinators must be abandoned one after another, each after a request has waited for as long as a transaction
 * may last: longer than it takes to doubt a leader that is read from.
 */
const ISOLATED_MS = 120_000;
const LEAVES_WITHIN_MS = 90_000;

/** A leader cut off from the controllers goes on answering clients. */
export const isolatedNode: Scenario = {
  id: 'F23b',
  title: 'a node of three isolated from the controllers, not from the processor: a leader that was deposed and answers',
  nodes: 3,
  variants: 3,
  run: async (context) => {
    const trial = await Trial.begin(context, clustered);
    const { application } = trial;
    const node = context.broker.nodes[context.index % 3]!;
    trial.variant = `node ${node.id} isolated for ${ISOLATED_MS / 1000} s`;
    // So little traffic that clock records have to prove silence.
    trial.load({ ratePerSecond: 20, heartbeatMs: 1_000, beats: 8 });
    const processor = await trial.started();
    await trial.firstClose();
    trial.armed = 1;
    node.isolate();
    try {
      await sleep(LEAVES_WITHIN_MS);
      const before = await outputsWithout(node, application);
      const deposed = await deposedPartitions(application, node);
      trial.facts['deposedPartitions'] = deposed.length;
      if (deposed.length > 0) trial.hit();
      await sleep(ISOLATED_MS - LEAVES_WITHIN_MS);
      const after = await outputsWithout(node, application);
      trial.facts['leadersDoubted'] = processor.said(/does not show what is written/).length;
      trial.violations.push(...withoutCloses(application, before, after));
    } finally {
      node.rejoin();
    }
    return trial.conclude([processor]);
  },
};

/** Read from the other nodes: the isolated one shows old data. */
function outputsWithout({ port }: BrokerNode, { kafka, output }: Application): Promise<OutputRecord[]> {
  const brokers = kafka.brokers.filter((address) => !address.endsWith(`:${port}`));
  return readOutputs({ kafka: { ...kafka, brokers }, output });
}

/** Input partitions that this node believes to lead, while the others do not. */
async function deposedPartitions({ kafka, input }: Application, node: BrokerNode): Promise<readonly number[]> {
  const leadersBy = async (brokers: readonly string[]): Promise<readonly PartitionMetadata[]> => {
    const connection = openCluster({ ...kafka, brokers });
    try {
      const { topics } = await connection.refresh([input]);
      return topics[0]!.partitions;
    } finally {
      connection.close();
    }
  };
  const own = await leadersBy(kafka.brokers.filter((address) => address.endsWith(`:${node.port}`)));
  const others = await leadersBy(kafka.brokers.filter((address) => !address.endsWith(`:${node.port}`)));
  return own
    .filter(({ partition, leader, leaderEpoch }) => {
      const other = others[partition];
      return leader === node.id && other !== undefined && other.leader !== leader && other.leaderEpoch > leaderEpoch;
    })
    .map(({ partition }) => partition);
}

/** X5: sessions end all the time, in every partition. */
function withoutCloses(
  { partitions }: Application,
  before: readonly OutputRecord[],
  after: readonly OutputRecord[],
): Violation[] {
  const count = (outputs: readonly OutputRecord[], partition: number): number =>
    outputs.filter((each) => each.partition === partition).length;
  return Array.from({ length: partitions }, (_, partition) => partition)
    .filter((partition) => count(after, partition) <= count(before, partition))
    .map((partition) => ({
      rule: 'X5',
      subject: `partition ${partition}`,
      detail: `closed nothing for ${ISOLATED_MS - LEAVES_WITHIN_MS} ms, ${LEAVES_WITHIN_MS} ms after the node was isolated`,
    }));
}

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
      await sleep(FROZEN_MS);
      await node.resume();
    };
    // So little traffic that clock records have to prove silence.
    return throughNodes(context, ['frozen', freeze], { ratePerSecond: 20, heartbeatMs: 1_000, beats: 8 });
  },
};

async function throughNodes(
  context: TrialContext,
  [name, fault]: readonly [string, NodeFault],
  load: { readonly ratePerSecond?: number; readonly heartbeatMs?: number; readonly beats?: number },
): Promise<TrialResult> {
  const trial = await Trial.begin(context, clustered);
  trial.variant = `each node in turn ${name}`;
  trial.load(load);
  const processors = [await trial.started('a'), await trial.started('b')];
  await sleep(WARM_MS);
  for (const node of context.broker.nodes) {
    trial.armed += 1;
    trial.faultsAt.push(Date.now());
    const before = node.pid;
    await fault(node);
    if (before !== undefined) trial.fired += 1;
    await sleep(BETWEEN_MS);
  }
  return trial.conclude(processors);
}
