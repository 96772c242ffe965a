export { summaryBytes } from './summary-bytes.ts';
export {
  openSummaryEncoder,
  reducedSchema,
  SUMMARY_SCHEMA,
  summaryEncoder,
  SummaryFormats,
  type ReadSummary,
  type SummaryOutcome,
} from './summary-formats.ts';
export type { ReceivedSummary } from './summary-shape.ts';
