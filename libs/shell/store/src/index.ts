export { LmdbStores, type LmdbStoresOptions } from './lmdb-stores.ts';
