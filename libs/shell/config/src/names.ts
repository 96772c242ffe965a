// Names derived from application and pipeline (docs/CONFIGURATION.md): contracts, others rely on them.

export function changelogTopicOf(application: string, pipeline: string): string {
  return `${application}.${pipeline}.changelog`;
}

export function deadLetterTopicOf(
  application: string,
  pipeline: { readonly name: string; readonly deadLetterTopic?: string | undefined },
): string {
  return pipeline.deadLetterTopic ?? `${application}.${pipeline.name}.dead-letters`;
}

/** Consumer group of a pipeline. */
export function groupOf(application: string, pipeline: string): string {
  return `${application}.${pipeline}`;
}

/** Transactional id of one task. */
export function transactionalId(application: string, pipeline: string, partition: number): string {
  return `${application}.${pipeline}.${partition}`;
}
