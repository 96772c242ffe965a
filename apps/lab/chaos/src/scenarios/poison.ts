// F14: hostile records between sound ones: each refused once, the others unharmed.
import type { Random } from '@flatline/base';
import type { ProducedRecord } from '@flatline/kafka';
import type { InputTruth } from '@flatline/oracle';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { sleep } from '../stage/sleep.ts';
import { produce } from '../stage/topic-records.ts';
import { Trial } from '../trial/trial.ts';

const POISON_KEY = 'poison-';
const RECORDS_PER_ROUND = 30;
const ROUND_EVERY_MS = 200;

export const poison: Scenario = { id: 'F14', title: 'poison between sound records', nodes: 1, variants: 1, run };

type Kind = (random: Random) => Partial<ProducedRecord>;

/** Each is refused for another reason. A value is bytes; a key is given unless the kind brings its own. */
const refused: readonly Kind[] = [
  (random) => ({ value: bytes(random, 1 + random.below(200), 1) }),
  () => ({ key: null, value: Buffer.from('{}') }),
  () => ({ key: null, value: new Uint8Array() }),
  () => ({ value: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }),
  () => ({ value: Buffer.from(`{"attributes":${'['.repeat(50_000)}`) }),
  () => ({ value: Buffer.from('{"occurredAt":NaN}') }),
  () => ({ value: Buffer.from('{"type":7}') }),
  () => ({ value: Buffer.from('{"timeoutMs":-5}') }),
  () => ({ value: Buffer.from('{"attributes":{"a":{"b":1}}}') }),
  () => ({ value: Buffer.from('{"type":"A"} {"type":"B"}') }),
  () => ({ value: Buffer.from([0, 0, 0, 0x30, 0x39, 2, 4]) }),
  () => ({ value: Buffer.from([0, 0]) }),
  (random) => ({ value: bytes(random, 900_000, 1) }),
  (random) => ({ key: Buffer.from(`${POISON_KEY}${'k'.repeat(600)}${random.below(1000)}`), value: new Uint8Array() }),
];

/** Strange but sound. */
const strangeKeys = ['__proto__', 'constructor', '<script>alert(1)</script>', '\u0000\u001b[31m', '../../etc', 'ÿ'];

async function run(context: TrialContext): Promise<TrialResult> {
  const { random } = context;
  const trial = await Trial.begin(context);
  const rounds = context.short ? 20 : 150;
  trial.variant = `${rounds * RECORDS_PER_ROUND} hostile records of ${refused.length} kinds`;
  trial.load({ ratePerSecond: 1_000 });
  const processor = await trial.started();
  for (let round = 0; round < rounds; round += 1) {
    // The large ones come now and then: they are a megabyte each.
    const kinds = Array.from({ length: RECORDS_PER_ROUND }, () => refused[random.below(refused.length)]!).filter(
      (kind) => kind !== refused[12] || random.chance(0.1),
    );
    const records = kinds.map((kind, index): ProducedRecord => {
      const key = Buffer.from(`${POISON_KEY}${round}-${index}`);
      return { key, value: null, ...kind(random) };
    });
    const strange = strangeKeys.map((key): ProducedRecord => ({ key: Buffer.from(key), value: new Uint8Array() }));
    const attribute = Buffer.from('{"attributes":{"__proto__":"x","constructor":"y"}}');
    strange.push({ key: Buffer.from('strange-attributes'), value: attribute });
    await produce(trial.application, [...records, ...strange]);
    trial.armed += records.length;
    trial.fired += records.length;
    await sleep(ROUND_EVERY_MS);
  }
  return trial.conclude([processor], { truth });
}

/** Each hostile record must become a dead letter; those without a key by the rules alone. */
const truth: InputTruth = {
  refusalOf: ({ key }) => (key !== null && Buffer.from(key).toString().startsWith(POISON_KEY) ? 'content' : undefined),
  presentDecides: false,
};

/** Random, with a first byte that no format begins with. */
function bytes(random: Random, length: number, first: number): Buffer {
  const result = Buffer.alloc(length, 0xa5);
  for (let at = 1; at < Math.min(length, 256); at += 1) result[at] = random.below(256);
  result[0] = first;
  return result;
}
