// A service with @confluentinc/kafka-javascript at its fastest: `node service.js <task as JSON>` answers with what it cost; with
// `version`, which it is. The task and the cost are those of src/service/service-task.ts.
import { Buffer } from 'node:buffer';
import console from 'node:console';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import confluent from '@confluentinc/kafka-javascript';

const { Kafka, logLevel } = confluent.KafkaJS;
/** Records of one call: more gains nothing. */
const CALL_MAX = 10_000;
/** Records of one batch handed over; its default is 32. */
const BATCH_MAX = 10_000;

const startedAt = { ms: 0, cpu: process.cpuUsage() };
const begin = () => {
  startedAt.ms = performance.now();
  startedAt.cpu = process.cpuUsage();
};
const costOf = (records) => {
  const { user, system } = process.cpuUsage(startedAt.cpu);
  const elapsedMs = performance.now() - startedAt.ms;
  return { records, elapsedMs, cpuMs: (user + system) / 1_000, peakRssBytes: process.resourceUsage().maxRSS * 1024 };
};

const eventOf = (index) => ({ type: 'VIEW', attributes: { page: `/p/${index % 1_000}`, campaign: 'autumn' } });

async function send(kafka, { work, topic, records, warmUpRecords, sessions }) {
  const producer = kafka.producer({
    kafkaJS: { acks: -1 },
    'linger.ms': 5,
    'batch.size': 1_000_000,
    'queue.buffering.max.messages': 1_000_000,
    partitioner: 'murmur2_random',
  });
  await producer.connect();
  const bare = Buffer.alloc(0);
  const sendAll = async (count) => {
    for (let first = 0; first < count; first += CALL_MAX) {
      const messages = Array.from({ length: Math.min(CALL_MAX, count - first) }, (_, offset) => ({
        key: `session-${(first + offset) % sessions}`,
        value: work === 'beats' ? bare : JSON.stringify(eventOf(first + offset)),
      }));
      await producer.send({ topic, messages });
    }
  };
  await sendAll(warmUpRecords);
  begin();
  await sendAll(records - warmUpRecords);
  const cost = costOf(records - warmUpRecords);
  await producer.disconnect();
  return cost;
}

async function read(kafka, { topic, group, records, warmUpRecords }) {
  const consumer = kafka.consumer({
    kafkaJS: { groupId: group, fromBeginning: true, autoCommitInterval: 1_000 },
    'js.consumer.max.batch.size': BATCH_MAX,
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic] });
  const cost = await new Promise((resolve, reject) => {
    let seen = 0;
    let events = 0;
    const eachBatch = async ({ batch }) => {
      for (const { value } of batch.messages) {
        if (value === null) continue;
        events += JSON.parse(value.toString()).eventCount;
        seen += 1;
        if (seen === warmUpRecords) begin();
        if (seen !== records) continue;
        if (events === 2 * records) resolve(costOf(records - warmUpRecords));
        else reject(new Error(`the summaries told of ${events} events`));
      }
    };
    consumer.run({ eachBatch }).catch(reject);
  });
  await consumer.disconnect();
  return cost;
}

const [asked] = process.argv.slice(2);
if (asked === 'version') {
  const { librdkafkaVersion } = confluent;
  console.log(JSON.stringify({ librdkafka: librdkafkaVersion }));
} else {
  const task = JSON.parse(asked);
  const kafka = new Kafka({ kafkaJS: { brokers: task.brokers, clientId: 'bench', logLevel: logLevel.NOTHING } });
  const cost = await (task.work === 'outputs' ? read(kafka, task) : send(kafka, task));
  console.log(JSON.stringify(cost));
}
