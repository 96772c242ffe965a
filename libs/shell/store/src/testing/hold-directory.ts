// Takes a state directory, says so, and keeps it until it is killed. Arguments: state directory.
import { LmdbStores } from '../lmdb-stores.ts';

const stores = LmdbStores.open({ stateDir: process.argv[2]!, application: 'app', pipeline: 'visits' });
process.stdin.resume().on('end', () => void stores.close());
console.log('held');
