// Records of deliveries for whoever looks at them, without what sends them.
export {
  type DueRecord,
  enablingRecord,
  isOfAnother,
  keptRecordOf,
  ownRecord,
  REASON_HEADER,
  replayedIn,
  replayedMark,
  replayingRecord,
} from './records/delivery-record.ts';
export { type RawRecord, rawOf } from './records/raw-record.ts';
