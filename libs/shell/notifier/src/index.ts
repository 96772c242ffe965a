export { type Notifier, type NotifierParts, openNotifier } from './notifier.ts';
export type { DeliveryStatus } from './courier/carried-pipeline.ts';
export type { NotifierLog } from './courier/carried.ts';
export type { KeptState } from './courier/restoration.ts';
