// Remind of an unpaid invoice, and not of one that was paid in time. docs/examples/payment-reminders/README.md
import { connect } from '@flatline/client';
import process from 'node:process';
import { TextDecoder } from 'node:util';

const { BROKERS } = process.env;
const say = (what) => process.stdout.write(`${what}\n`);

const flatline = connect({ brokers: BROKERS.split(',') });
const reminders = await flatline.schedules({ topic: 'reminders-to-come' });

async function send(invoice, amount) {
  await reminders.add(invoice, { invoice, amount, text: 'due today' }, { delay: '2s', id: 'first' });
  await reminders.add(invoice, { invoice, amount, text: 'overdue' }, { delay: '4s', id: 'second' });
  say(`${invoice} sent, ${amount} EUR`);
}
async function paid(invoice) {
  say(`${invoice} is paid`);
  for (const id of ['first', 'second']) await reminders.cancel(invoice, { id });
}
await send('invoice-1', 80);
await send('invoice-2', 120);
await send('invoice-3', 95);
await paid('invoice-2'); // in time: it is never reminded of

for await (const { keyText, run } of flatline.runs({ topic: 'reminders-due', group: 'mail' })) {
  const { text, amount } = JSON.parse(new TextDecoder().decode(run.value));
  say(`to the customer of ${keyText}: ${amount} EUR ${text}`);
  if (keyText === 'invoice-1' && text === 'due today') await paid('invoice-1'); // after the first one
  if (text === 'overdue') break;
}
await flatline.close();
