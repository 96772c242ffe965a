export { type DirectoryHold, LmdbStores, type LmdbStoresOptions } from './lmdb-stores.ts';
