// Save a document when its author pauses, not at each key. docs/examples/save-debounce/README.md
import { connect } from '@flatline/client';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

const { BROKERS } = process.env;
const say = (what) => process.stdout.write(`${what}\n`);

const flatline = connect({ brokers: BROKERS.split(',') });
const edits = await flatline.items({ topic: 'document-edits' });

async function type(document, text) {
  for (let length = 1; length <= text.length; length += 1) {
    edits.push(document, { text: text.slice(0, length) }); // the whole document as it is now
    await delay(50);
  }
}
const typing = [type('letter', 'Dear reader,'), type('notes', 'milk, bread')];
const closing = Promise.all(typing).then(() => edits.push('report', { text: 'final' }, { flush: true })); // Ctrl+S: at once

let saves = 0;
for await (const { keyText, batch } of flatline.batches({ topic: 'document-saves', group: 'storage' })) {
  say(`${keyText}: ${batch.count} edits, saved once as "${batch.items[0].value.text}" (${batch.reason})`);
  saves += 1;
  if (saves === 3) break;
}
await closing;
await flatline.close();
