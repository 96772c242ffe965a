export { type ReceivedReceipt, type ReceivedRun, receiptIn, runIn } from './runs.ts';
