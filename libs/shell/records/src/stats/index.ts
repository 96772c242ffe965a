export { openStatsEncoder, STATS_SCHEMA, statsEncoder } from './stats-encoder.ts';
export { StatsReader } from './stats-reader.ts';
