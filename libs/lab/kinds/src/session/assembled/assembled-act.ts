// The records of assembled sessions: beats, events, rows of tables, ends, erasures, and late data.
import type { DurationMs, Random } from '@flatline/base';
import { type Act, headersOf } from '../../traffic/kind-traffic.ts';
import { oneOf } from '../../worlds/one-of.ts';

export interface Senders {
  /** Topics, of which the first is sent most. */
  readonly inputs: number;
  /** Number of the input whose values are rows of a change capture; undefined: none. */
  readonly rowsAt: number | undefined;
  /** How far behind producers' stamps are at most; undefined: they do not count. */
  readonly behindMaxMs: DurationMs | undefined;
}

const ERASE = headersOf({ 'flatline-command': 'ERASE' });
const PAGES = ['a', 'b', 'c', 'd'];
const PLANS = ['free', 'pro', 'gold', 'team'];
const BEAT = new Uint8Array();

export function assembledAct(random: Random, senders: Senders): Act {
  const { inputs, rowsAt, behindMaxMs } = senders;
  const input = inputs > 1 && random.chance(0.4) ? 1 + random.below(inputs - 1) : 0;
  const behind = behindMaxMs === undefined ? {} : { behindMs: random.chance(0.3) ? random.below(behindMaxMs) : 0 };
  const draw = random.below(100);
  if (input > 0) return { input, value: draw < 3 ? null : valueAt(input === rowsAt, random) };
  if (draw < 1) return { ...behind, value: null, headers: ERASE, mayBeIdle: true };
  if (draw < 2) return { ...behind, value: Buffer.from('no event'), mayBeIdle: true };
  if (draw < 5) return { ...behind, value: null, mayBeIdle: true };
  return { ...behind, value: draw < 50 ? BEAT : json(eventOf(random)) };
}

function valueAt(isRow: boolean, random: Random): Uint8Array {
  return json(isRow ? { before: null, after: attributesOf(random), op: 'u' } : { ...eventOf(random), type: 'ROW' });
}

function eventOf(random: Random): object {
  return {
    type: oneOf(random, ['VIEW', 'VIEW', 'BUY', 'STARTED']),
    n: random.below(1_000) / 10,
    page: oneOf(random, PAGES),
    ...(random.chance(0.3) && { eventId: `e${random.below(20)}` }),
    ...(random.chance(0.2) && { sequence: random.below(100), source: `s${random.below(3)}` }),
    ...(random.chance(0.1) && { timeoutMs: 500 + random.below(1_500) }),
    ...(random.chance(0.6) && { attributes: attributesOf(random) }),
  };
}

function attributesOf(random: Random): object {
  return {
    plan: oneOf(random, PLANS),
    ...(random.chance(0.5) && { mail: `${random.below(4)}@shop.example` }),
    ...(random.chance(0.5) && { note: 'x'.repeat(random.below(200)) }),
  };
}

function json(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
