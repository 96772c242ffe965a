// A peer that keeps sessions in a store of somebody else's: `node main.js <task as JSON>`. Answers with lines of JSON.
import process from 'node:process';
import * as bullmq from './bullmq.js';
import * as postgresql from './postgresql.js';
import * as redis from './redis.js';
import { debounce } from './debounce.js';
import { delays } from './delays.js';
import { processAll, run, watch } from './jobs.js';

const STORES = { bullmq, postgresql, redis };
const JOBS = { throughput: processAll, run, watch, delays, debounce };

const task = JSON.parse(process.argv[2]);
/** Sessions that end while others live on, so that their closes can be timed. */
const timeoutOf = (id) => (id.startsWith('probe-') ? task.probeTimeoutMs : task.timeoutMs);
const store = await STORES[task.peer].open({ ...task, timeoutOf });
await JOBS[task.job](task, store, (line) => process.stdout.write(`${JSON.stringify(line)}\n`));
// Clients keep timers; what was to be done is done.
process.exit(0);
