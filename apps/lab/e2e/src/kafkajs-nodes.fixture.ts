// Changes of a broker's nodes by kafkajs' admin, over the plain listener.
import kafkajs from 'kafkajs';

/** Alters node 1 while it runs (KIP-226). */
export async function alterNode(bootstrap: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers: bootstrap.split(','), logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
    const resource = { type: kafkajs.ConfigResourceTypes.BROKER, name: '1', configEntries };
    await admin.alterConfigs({ validateOnly: false, resources: [resource] });
  } finally {
    await admin.disconnect();
  }
}
