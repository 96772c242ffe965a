import kafkajs from 'kafkajs';

/** The group's ids of its members: one that takes another's place has an id of its own. */
export async function memberIdsOf(brokers: readonly string[], group: string): Promise<readonly string[]> {
  const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const { groups } = await admin.describeGroups([group]);
    return groups[0]!.members.map(({ memberId }) => memberId).sort();
  } finally {
    await admin.disconnect();
  }
}
