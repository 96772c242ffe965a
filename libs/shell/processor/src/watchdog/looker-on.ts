// The thread that looks on, as source text: the package is one file, and has none to begin a thread with.
import { CALL, NUMBERS_AT, OFFSET, PARTITION, PLACE, PLACE_BYTES, PLACES_AT, STOPPED } from './memory.ts';

/**
 * It ends the process by a signal that needs no help of the thread that hangs. What it says goes to the standard error at once:
 * a log that another thread writes would never get it.
 */
export const LOOKER_ON = `
const { workerData: { memory, lookEveryMs, looksMax } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const flags = new Int32Array(memory);
const numbers = new Float64Array(memory, ${NUMBERS_AT}, 1);
let seen = 0;
let looks = 0;
while (Atomics.wait(flags, ${STOPPED}, 0, lookEveryMs) === 'timed-out') {
  const call = Atomics.load(flags, ${CALL});
  looks = call % 2 !== 0 && call === seen ? looks + 1 : 0;
  seen = call;
  if (looks < looksMax) continue;
  const bytes = Buffer.from(memory, ${PLACES_AT} + flags[${PLACE}] * ${PLACE_BYTES}, ${PLACE_BYTES});
  const { pipeline, topic } = JSON.parse(Buffer.from(bytes).toString().replace(/\\0+$/, ''));
  const where = topic + '/' + flags[${PARTITION}] + ' offset ' + numbers[${OFFSET}];
  writeSync(2, 'flatline: pipeline ' + pipeline + ': a function of its reducer does not return, for the record at ' + where +
    '. The process ends, since nothing of it can go on. Mend the function: each process that takes this record ends so\\n');
  process.kill(process.pid, 'SIGKILL');
}
`;
