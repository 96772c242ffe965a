// Rights that a processor needs on its topics, and those that its user lacks. Pure.
import { Fatal } from '@flatline/base';
import type { TopicFinding, TopicRight } from '@flatline/kafka';
import type { PipelineTopics, TopicRole } from './topic-requirements.ts';

/** `routed`: routes lead there (P3). */
type RightsRole = TopicRole | 'routed';

export interface LackingRights {
  readonly topic: string;
  readonly role: RightsRole;
  /** In the words of Kafka's ACLs. */
  readonly rights: readonly TopicRight[];
}

/** READ, WRITE and DELETE each bring DESCRIBE with them. */
const NEEDED: Readonly<Record<RightsRole, readonly TopicRight[]>> = {
  input: ['READ', 'WRITE', 'DESCRIBE_CONFIGS'],
  output: ['WRITE', 'DESCRIBE_CONFIGS'],
  target: ['WRITE', 'DESCRIBE_CONFIGS'],
  routed: ['WRITE', 'DESCRIBE_CONFIGS'],
  changelog: ['READ', 'WRITE', 'DELETE', 'DESCRIBE_CONFIGS'],
  deadLetters: ['WRITE', 'DESCRIBE_CONFIGS'],
};

/** Leaves out topics that do not exist, and those for which the broker does not tell rights. */
export function lackingRights(
  pipelines: readonly PipelineTopics[],
  findings: readonly TopicFinding[],
): readonly LackingRights[] {
  const byTopic = new Map(findings.map((finding) => [finding.topic, finding]));
  return pipelines.flatMap((pipeline) =>
    rolesOf(pipeline).flatMap(({ topic, role }) => {
      const found = byTopic.get(topic);
      if (found === undefined || found.kind === 'missing') return [];
      const held = found.kind === 'present' ? found.rights : new Set<TopicRight>();
      const needed = NEEDED[role].filter((right) => right !== 'WRITE' || role !== 'input' || pipeline.writesInput);
      const rights = held === undefined ? [] : needed.filter((right) => !held.has(right));
      return rights.length === 0 ? [] : [{ topic, role, rights }];
    }),
  );
}

/** @throws Fatal that names every right that is lacking */
export function assertRights(pipelines: readonly PipelineTopics[], findings: readonly TopicFinding[]): void {
  const lacking = lackingRights(pipelines, findings);
  if (lacking.length === 0) return;
  throw new Fatal(`this user may not do all that a processor does: ${lacking.map(rightsText).join('; ')}`);
}

export function rightsText({ topic, rights }: LackingRights): string {
  return `grant it ${rights.join(', ')} on topic ${topic}`;
}

function rolesOf(pipeline: PipelineTopics): readonly { readonly topic: string; readonly role: RightsRole }[] {
  const { input, furtherInputs = [], output, targets = [], routed = [], changelog, deadLetters } = pipeline;
  return [
    { topic: input, role: 'input' },
    ...furtherInputs.map(({ topic }) => ({ topic, role: 'input' as const })),
    { topic: output, role: 'output' },
    ...targets.map((topic) => ({ topic, role: 'target' as const })),
    ...routed.map((topic) => ({ topic, role: 'routed' as const })),
    { topic: changelog, role: 'changelog' },
    { topic: deadLetters, role: 'deadLetters' },
  ];
}
