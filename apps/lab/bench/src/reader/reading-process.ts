// Measures one reader in a process of its own, and sends the cost to the parent: `fork(this, [reader, task as JSON])`.
import { readWithFlatline } from './flatline-reading.ts';
import { readWithKafkajs } from './kafkajs-reading.ts';
import { type ReadingTask } from './reading-task.ts';

const readers = { flatline: readWithFlatline, kafkajs: readWithKafkajs };
const [name, task] = process.argv.slice(2) as [keyof typeof readers, string];
process.send?.(await readers[name](JSON.parse(task) as ReadingTask));
process.disconnect();
