// The SDK: what applications import.
//
//   const producer = await openHeartbeatProducer({ connection: openCluster(kafka), topic: 'visit-events', clock });
//   await producer.beat('visitor-7');                               // the session lives
//   await producer.event('visitor-7', { type: 'VIEW', attributes: new Map([['page', '/']]) });
//   await producer.end('visitor-7');                                // it ends here, without waiting for the timeout
//   await producer.close();                                         // everything is in the log
//
//   const { consumer, close } = await openSummaryConsumer({ kafka, topic: 'visits', from: 'beginning' });
//   for await (const record of consumer)
//     if (record.kind === 'summary') await store(record.summary, consumer.positions);
//   await close();
export {
  HeartbeatProducer,
  type HeartbeatProducerOptions,
  openHeartbeatProducer,
  type SessionId,
} from './heartbeat-producer.ts';
export { openSummaryConsumer, type SummaryConsumerOptions } from './open-summary-consumer.ts';
export type { OutputRecord, SummaryRecord, TombstoneRecord, UnreadableRecord } from './output-record.ts';
export { SummaryConsumer, type SummaryConsumerParts } from './summary-consumer.ts';
export { INCARNATION_HEADER } from '@flatline/ports';
