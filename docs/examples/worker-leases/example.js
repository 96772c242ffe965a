// A job by one worker at a time; one is frozen in the middle of it, and wakes. docs/examples/worker-leases/README.md
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';

const { DATABASE } = process.env;
const say = (what) => process.stdout.write(`${what}\n`);

function start(name) {
  const worker = fork(join(import.meta.dirname, 'worker.js'), [name]);
  process.once('exit', () => worker.kill('SIGKILL')); // also one that is frozen, where this program fails
  return worker.on('message', (what) => {
    say(`${name} ${what}`);
    worker.emit(what);
  });
}

const first = start('worker-1');
await once(first, 'begins step 2');
first.kill('SIGSTOP');
say('worker-1 is frozen');

const second = start('worker-2'); // its turn comes once the first one's lease has expired
await once(second, 'begins step 3');
first.kill('SIGCONT');
say('worker-1 wakes');
await Promise.all([once(first, 'exit'), once(second, 'exit')]);
const row = `SELECT format('%s: step %s, last by %s', name, step, writer) FROM job`;
say(execFileSync('psql', [DATABASE, '-Atqc', row], { encoding: 'utf8' }).trim());
