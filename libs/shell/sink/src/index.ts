export { KIND_TABLES } from './kind-tables.ts';
export { runSink, type SinkOptions, type SinkProgress } from './open-sink.ts';
export { creation } from './statements.ts';
export { type TableName, tableNameIn } from './table-name.ts';
