// Topics of deliveries that are another application's: they bear the pipeline's name alone, and whoever reads them sends what is there.
//
// Told by the changelog of what keeps deliveries, which bears the application's name. Not seen: one that this user may not describe.
import { type Clock, Misconfigured } from '@flatline/base';
import { type KafkaConnection, KafkaLogAdmin, KafkaTopicAdmin } from '@flatline/kafka';
import type { PipelineTopics } from './topic-requirements.ts';

export interface ForeignDeliveries {
  /** The topic that both would use. */
  readonly topic: string;
  /** Whose it is. */
  readonly application: string;
  /** The one that is looked at. */
  readonly ours: string;
}

type Kept = Pick<PipelineTopics, 'pipeline' | 'input' | 'changelog' | 'deliveriesOf'>;

export interface DeliveriesLook {
  /** All topics. */
  readonly names: readonly string[];
  /** True if anything was ever written to it. */
  readonly wasUsed: (topic: string) => Promise<boolean>;
}

/** Where both have one and ours alone was ever used, the other's is no reason not to go on. @throws what `wasUsed` rejects with */
export async function foreignDeliveries(
  pipelines: readonly Kept[],
  { names, wasUsed }: DeliveriesLook,
): Promise<readonly ForeignDeliveries[]> {
  const found: ForeignDeliveries[] = [];
  for (const { pipeline, input: topic, changelog, deliveriesOf } of pipelines) {
    if (deliveriesOf === undefined) continue;
    const suffix = `.${pipeline}.changelog`;
    const others = names.filter((name) => name.endsWith(suffix) && name !== changelog);
    const isOurs = others.length > 0 && names.includes(changelog) && (await wasUsed(changelog));
    const [owner] = isOurs ? await usedOf(others, wasUsed) : others;
    if (owner === undefined) continue;
    const applicationOf = (name: string): string => name.slice(0, -suffix.length);
    found.push({ topic, application: applicationOf(owner), ours: applicationOf(changelog) });
  }
  return found;
}

async function usedOf(topics: readonly string[], wasUsed: DeliveriesLook['wasUsed']): Promise<readonly string[]> {
  const used = await Promise.all(topics.map(wasUsed));
  return topics.filter((_, i) => used[i]);
}

/** Asks the cluster; nothing where no pipeline keeps deliveries. @throws Retriable, Fatal */
export async function findForeignDeliveries(
  pipelines: readonly PipelineTopics[],
  asking: { readonly clock: Clock; readonly connection: KafkaConnection },
): Promise<readonly ForeignDeliveries[]> {
  if (pipelines.every(({ deliveriesOf }) => deliveriesOf === undefined)) return [];
  const topics = new KafkaTopicAdmin(asking);
  const logs = new KafkaLogAdmin(asking);
  const wasUsed = async (topic: string): Promise<boolean> => {
    const [described] = await topics.describeTopics([topic]);
    if (described?.kind !== 'present') return false;
    const ends = Array.from({ length: described.partitions }, (_, partition) =>
      logs.replicatedEnd({ topic, partition }),
    );
    return (await Promise.all(ends)).some((end) => end > 0);
  };
  return foreignDeliveries(pipelines, { names: await topics.topicNames(), wasUsed });
}

export const ANOTHER_NAME = 'give this pipeline another name';

/** Without the topic's name. */
export function foreignText({ application, ours }: ForeignDeliveries): string {
  return `belongs to application ${application}, and ${ours} has a pipeline of the same name`;
}

/** @throws Misconfigured; Retriable, Fatal where the cluster cannot be asked */
export async function checkForeignDeliveries(...asked: Parameters<typeof findForeignDeliveries>): Promise<void> {
  const found = await findForeignDeliveries(...asked);
  if (found.length === 0) return;
  throw new Misconfigured(found.map((each) => `${each.topic}: ${foreignText(each)}: ${ANOTHER_NAME}`).join('; '));
}
