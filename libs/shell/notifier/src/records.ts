// Records of deliveries for whoever looks at them, without what sends them.
export { type DueRecord, enablingRecord, keptRecord, keptRecordOf, REASON_HEADER } from './records/delivery-record.ts';
export { type RawRecord, rawOf } from './records/raw-record.ts';
