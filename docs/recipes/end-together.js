// Evicts whoever was bound to a session that has closed (docs/recipes/ending-together.md).
//
//   node end-together.js BROKERS OUTPUT ROLE ATTRIBUTE PIPELINE URL…
//   node end-together.js 127.0.0.1:9092 visits gateway gateway visits http://127.0.0.1:7070
import { connect, directory } from '@flatline/client';
/* global AbortController */
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const AGAIN_AFTER_MS = 1_000;

const [brokers, output, role, attribute, pipeline, ...urls] = process.argv.slice(2);
if (urls.length === 0) throw new Error('usage: node end-together.js BROKERS OUTPUT ROLE ATTRIBUTE PIPELINE URL…');
const ending = new AbortController();
process.once('SIGTERM', () => ending.abort());
process.once('SIGINT', () => ending.abort());
const { signal } = ending;

const client = connect({ brokers: brokers.split(',') });
const members = directory({ urls, pipeline });
// The place in the output is committed behind the eviction: after a crash an owner's end may be met twice, and never missed.
for await (const { keyText, summary } of client.summaries({ topic: output, group: 'end-together', signal })) {
  if (summary.attributes.get('role') !== role) continue;
  for (let isDone = false; !isDone && !signal.aborted;) {
    try {
      await members.evict({ attribute, equals: keyText });
      isDone = true;
      process.stdout.write(`${keyText} has ended, and so do its members\n`);
    } catch (error) {
      process.stderr.write(`${keyText}: ${error.message}; tried again\n`);
      await delay(AGAIN_AFTER_MS);
    }
  }
}
await client.close();
