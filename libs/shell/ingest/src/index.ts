export { promptClose, REQUEST_WITHIN_MS } from './prompt-close.ts';
export { requireFree } from './ingest-port.ts';
export { type IngestInput, type IngestOptions, type IngestServer, openIngestServer } from './ingest-server.ts';
