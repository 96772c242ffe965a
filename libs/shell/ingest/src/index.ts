export type { IngestInput, IngestInputs, Sent, ValueAndHeaders } from './ingest-input.ts';
export { requireFree } from './ingest-port.ts';
export { type IngestOptions, type IngestServer, openIngestServer } from './ingest-server.ts';
