// The same service with kafkajs, at its fastest: large calls for sending, whole batches for reading.
import kafkajs from 'kafkajs';
import { eventOf, type ServiceCost, ServiceMeter, type ServiceTask } from '../tasks/service-task.ts';

/** Records of one call: more gains nothing. */
const CALL_MAX = 10_000;

export async function serveWithKafkajs(task: ServiceTask): Promise<ServiceCost> {
  const kafka = new kafkajs.Kafka({
    brokers: [...task.brokers],
    clientId: 'bench',
    logLevel: kafkajs.logLevel.NOTHING,
  });
  return task.work === 'outputs' ? read(kafka, task) : send(kafka, task);
}

async function send(kafka: kafkajs.Kafka, task: ServiceTask): Promise<ServiceCost> {
  const { records, warmUpRecords } = task;
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  const meter = new ServiceMeter();
  await sendAll(producer, task, warmUpRecords);
  meter.start();
  await sendAll(producer, task, records - warmUpRecords);
  const cost = meter.cost(records - warmUpRecords);
  await producer.disconnect();
  return cost;
}

async function sendAll(
  producer: kafkajs.Producer,
  { work, topic, sessions }: ServiceTask,
  records: number,
): Promise<void> {
  const bare = Buffer.alloc(0);
  for (let first = 0; first < records; first += CALL_MAX) {
    const messages = Array.from({ length: Math.min(CALL_MAX, records - first) }, (_, offset) => ({
      key: `session-${(first + offset) % sessions}`,
      value: work === 'beats' ? bare : JSON.stringify(eventOf(first + offset)),
    }));
    await producer.send({ topic, acks: -1, messages });
  }
}

async function read(kafka: kafkajs.Kafka, { topic, group, records, warmUpRecords }: ServiceTask): Promise<ServiceCost> {
  const consumer = kafka.consumer({ groupId: group, maxBytes: 8_388_608 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const cost = await new Promise<ServiceCost>((resolve, reject) => {
    const meter = new ServiceMeter();
    let seen = 0;
    let events = 0;
    const eachBatch = ({ batch }: kafkajs.EachBatchPayload): Promise<void> => {
      for (const { value } of batch.messages) {
        if (value === null) continue;
        events += (JSON.parse(value.toString()) as { readonly eventCount: number }).eventCount;
        seen += 1;
        if (seen === warmUpRecords) meter.start();
        if (seen !== records) continue;
        if (events === 2 * records) resolve(meter.cost(records - warmUpRecords));
        else reject(new Error(`the summaries told of ${events} events`));
      }
      return Promise.resolve();
    };
    consumer.run({ autoCommitInterval: 1_000, eachBatch }).catch(reject);
  });
  await consumer.disconnect();
  return cost;
}
