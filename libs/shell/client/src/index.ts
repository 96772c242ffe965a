// The SDK: what applications import.
//
//   const flatline = connect({ brokers: ['127.0.0.1:9092'] });
//   const visitors = await flatline.heartbeats({ topic: 'visit-events' });
//   await visitors.beat('visitor-7');                               // the session lives
//   await visitors.event('visitor-7', { type: 'VIEW', attributes: new Map([['page', '/']]) });
//   await visitors.end('visitor-7');                                // it ends here, without waiting for the timeout
//
//   const visits = await flatline.summaries({ topic: 'visits', from: 'beginning' });
//   for await (const record of visits)
//     if (record.kind === 'summary') await store(record.summary, visits.positions);
//   await flatline.close();                                         // everything sent is in the log
export {
  connect,
  type ConnectOptions,
  type Flatline,
  type Heartbeats,
  type HeartbeatsOptions,
  type Summaries,
  type SummariesOptions,
} from './connect.ts';
export type { SessionId } from './heartbeat-producer.ts';
export type { OutputRecord, SummaryRecord, TombstoneRecord, UnreadableRecord } from './output-record.ts';
