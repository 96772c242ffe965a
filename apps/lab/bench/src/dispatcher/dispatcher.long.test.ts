// Users served by a real broker and two real processors, one of which is killed or stands still: what the dispatcher answers is judged
// by the log (judged-answers.ts).
import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DispatcherTurn } from './dispatcher-page.ts';

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));
const SETTINGS = { sessions: 2_000, events: 50, partitions: 4 };
const CELLS = [
  { fault: 'killed', standbys: 1 },
  { fault: 'frozen', standbys: 1 },
  { fault: 'gateway lost', standbys: 0 },
];

test('[Q1][Q2][Q4][F1][F3] through kill −9, SIGSTOP and a lost gateway no answer is wrong, and no message lost', async () => {
  const args = ['--conditions=@flatline/source', PROGRAM, JSON.stringify(CELLS), JSON.stringify(SETTINGS)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64_000_000 });
  const turns = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DispatcherTurn);
  expect(turns.map(({ fault, wrong, lost }) => [fault, wrong, lost])).toEqual(CELLS.map(({ fault }) => [fault, 0, 0]));
  const [killed, frozen, gateway] = turns;
  // The trials have happened: a standby's word, and users of the gateway, who have come back by another one.
  expect(killed!.marked).toBeGreaterThan(0);
  expect(frozen!.messages).toBeGreaterThan(0);
  expect(gateway!.evicted).toBeGreaterThanOrEqual(SETTINGS.sessions / 20 - 10);
}, 900_000);
