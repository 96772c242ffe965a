export { type DeliveryStatus, type Notifier, type NotifierParts, openNotifier } from './notifier.ts';
export type { NotifierLog } from './courier/courier-run.ts';
export type { KeptState } from './courier/restoration.ts';
