export { requireFree } from './ingest-port.ts';
export { type IngestInput, type IngestOptions, type IngestServer, openIngestServer } from './ingest-server.ts';
