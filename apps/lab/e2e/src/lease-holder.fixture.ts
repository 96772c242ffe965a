// A process that holds a lease, and reports the moments at which it believed so:
// `node lease-holder.fixture.ts <brokers> <input> <output> [token]`.
import { connect, type Lease } from '@flatline/client';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 5;

async function hold(lease: Lease): Promise<void> {
  void lease.over.then((reason) => {
    console.log(`over ${reason}`);
  });
  console.log(`holds ${lease.token}`);
  for (;;) {
    // Taken before the look: a process that is stopped between the two believes at the moment when it looks, not at a later one.
    const at = Date.now();
    if (!lease.isHeld) break;
    console.log(`believes ${at}`);
    await sleep(LOOK_MS);
  }
  // As applications do in the end, whatever happened to the lease.
  lease.release();
  console.log('released');
}

const [brokers = '', topic = '', answers = '', token] = process.argv.slice(2);
const leases = await connect({ brokers: brokers.split(',') }).leases({ topic, answers });
await hold(await (token === undefined ? leases.acquire('job') : leases.resume('job', Number(token))));
