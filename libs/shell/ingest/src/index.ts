export { type IngestOptions, type IngestServer, openIngestServer } from './ingest-server.ts';
