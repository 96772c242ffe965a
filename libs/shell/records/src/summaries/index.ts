export { summaryBytes } from './summary-bytes.ts';
export {
  openSummaryEncoder,
  SUMMARY_SCHEMA,
  summaryEncoder,
  SummaryFormats,
  type ReadSummary,
  type SummaryOutcome,
} from './summary-formats.ts';
export type { ReceivedSummary } from './summary-shape.ts';
