/** In place of an id: the cluster's metadata were made before Kafka 2.8 and are not upgraded. */
const NO_ID = '0'.repeat(32);

/** undefined: the cluster gives topics no ids, or has not yet. */
export function givenId(topicId: string | undefined): string | undefined {
  return topicId === NO_ID ? undefined : topicId;
}
