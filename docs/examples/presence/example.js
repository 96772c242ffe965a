// Who is online? Three players come; one leaves, one loses its connection, one stays. docs/examples/presence/README.md
import { connect, directory } from '@flatline/client';
import process from 'node:process';
import { setTimeout } from 'node:timers';

const { BROKERS, FLATLINE_URL } = process.env;
const say = (what) => process.stdout.write(`${what}\n`);

const flatline = connect({ brokers: BROKERS.split(',') });
const game = await flatline.sessions({ topic: 'player-events', timeoutMs: 2_000 });
const players = ['anna', 'bob', 'clara'].map((name) => game.session(name));
for (const player of players) player.start({ attributes: { world: 'north' } });
setTimeout(() => players[0].end(), 1_000); // anna logs out
setTimeout(() => players[1].leave(), 1_000); // bob's connection is lost: nothing says so

const gone = new Set();
for await (const { keyText, summary } of flatline.summaries({
  topic: 'player-presence',
  group: 'lobby',
  states: ['OPENED', 'CLOSED'],
})) {
  const { state, reason, attributes } = summary;
  say(state === 'OPENED' ? `${keyText} is online in ${attributes.get('world')}` : `${keyText} is offline: ${reason}`);
  if (state === 'CLOSED') gone.add(keyText);
  if (gone.size === 2) break;
}

const online = directory({ urls: [FLATLINE_URL], pipeline: 'players' });
for (const name of ['anna', 'bob', 'clara']) {
  const { state } = await online.get(name, { proof: 'now' });
  say(`asked for ${name}: ${state === 'live' ? 'online' : 'offline'}`);
}
await flatline.close();
