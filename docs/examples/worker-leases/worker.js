// Works on a job while it holds the job's lease. docs/examples/worker-leases/example.js starts two.
import { connect } from '@flatline/client';
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const { BROKERS, DATABASE } = process.env;
const STEPS = 4;
const [name] = process.argv.slice(2);
const say = (what) => process.send(what);
const sql = (text) => execFileSync('psql', [DATABASE, '-Atqc', text], { encoding: 'utf8' }).trim();

const flatline = connect({ brokers: BROKERS.split(',') });
const leases = await flatline.leases({ topic: 'job-requests', answers: 'job-leases' });
const lease = await leases.acquire('import');
const { token } = lease;
/** The step that the job is at then; nothing where the row has seen a greater token. */
const write = (change) =>
  sql(`UPDATE job SET ${change}, token = ${token} WHERE name = 'import' AND token <= ${token} RETURNING step`);

let step = Number(write(`writer = '${name}'`)); // raises the token before it relies on what it reads
say(`holds the lease: ${step} of ${STEPS} steps are done`);
while (step < STEPS && lease.isHeld) {
  say(`begins step ${step + 1}`);
  await delay(1_000); // the work; who stands still in here does not know that its lease is gone
  if (write(`step = ${step + 1}`) === '') {
    say(`is refused step ${step + 1}: the row has seen a greater token`);
    break;
  }
  step += 1;
}
await flatline.close(); // gives the lease back if it is still held
process.disconnect();
