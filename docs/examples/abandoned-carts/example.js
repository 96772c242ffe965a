// Remind of a cart that was left full, and of none that was bought. docs/examples/abandoned-carts/README.md
import { connect } from '@flatline/client';
import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers';
import { Webhook } from 'standardwebhooks';

const { BROKERS, WEBHOOK_PORT, WEBHOOK_SECRET } = process.env;
const say = (what) => process.stdout.write(`${what}\n`);

const mailer = createServer(async (request, response) => {
  const { data } = new Webhook(WEBHOOK_SECRET).verify(await text(request), request.headers); // throws
  say(`mail to ${data.key}: your ${data.value.attributes.item} are waiting`);
  response.writeHead(204).end(() => mailer.emit('mailed'));
}).listen(Number(WEBHOOK_PORT), '127.0.0.1');
const mailed = once(mailer, 'mailed');

const flatline = connect({ brokers: BROKERS.split(',') });
const visits = await flatline.sessions({ topic: 'visit-events', timeoutMs: 2_000 });
const [anna, ben, carl, dora] = ['anna', 'ben', 'carl', 'dora'].map((name) => visits.session(name));
anna.start({ attributes: { cart: 'full', item: 'red shoes' } });
ben.start({ attributes: { cart: 'full', item: 'gloves' } });
carl.start({ attributes: { cart: 'full', item: 'boots' } });
dora.start({ attributes: { cart: 'empty' } });
ben.end(); // he buys at once
for (const visitor of [carl, dora]) visitor.leave();
setTimeout(() => anna.leave(), 1_000); // so that carl's reminder would come before hers

let ends = 0;
for await (const { keyText, summary } of flatline.summaries({ topic: 'visits', group: 'shop' })) {
  const { reason, attributes } = summary;
  say(reason === 'ENDED' ? `${keyText} has bought` : `${keyText} is gone, the cart is ${attributes.get('cart')}`);
  if (keyText === 'carl' && reason === 'TIMEOUT') {
    carl.start(); // he comes back before he is reminded, and buys
    carl.end();
  }
  ends += 1;
  if (ends === 5) break;
}
await mailed;
mailer.close();
await flatline.close();
