// Which devices are offline? Ten send signals; one breaks and comes back, one is switched off. docs/examples/fleet-alarms/README.md
import { connect } from '@flatline/client';
import process from 'node:process';
import { setTimeout } from 'node:timers';

const { BROKERS } = process.env;
const say = (what) => process.stdout.write(`${what}\n`);

const flatline = connect({ brokers: BROKERS.split(',') });
const fleet = await flatline.sessions({ topic: 'device-signals', timeoutMs: 2_000 });
const devices = Array.from({ length: 10 }, (_, i) => fleet.session(`device-${i}`));
for (const [i, device] of devices.entries()) device.start({ attributes: { site: i < 5 ? 'harbour' : 'depot' } });
setTimeout(() => devices[3].leave(), 1_000); // its battery is empty: no more signals
setTimeout(() => devices[7].end(), 1_000); // it is switched off for maintenance, and says so

const alarms = new Map();
for await (const { keyText, summary } of flatline.summaries({
  topic: 'device-states',
  group: 'alarms',
  states: ['OPENED', 'CLOSED'],
})) {
  const { state, reason, attributes, lastEventAt } = summary;
  if (state === 'CLOSED' && reason === 'TIMEOUT') {
    alarms.set(keyText, lastEventAt);
    say(`ALARM ${keyText} at the ${attributes.get('site')} is offline`);
    fleet.session(keyText).start({ attributes }); // someone changes the battery
  } else if (state === 'CLOSED') say(`${keyText} was switched off: no alarm`);
  else if (alarms.delete(keyText)) {
    say(`${keyText} is back: all clear`);
    break;
  }
}
await flatline.close();
