export { LmdbStores, type LmdbStoresOptions } from './lmdb-stores.ts';
export { MemoryStore, MemoryStores } from './memory-store.ts';
