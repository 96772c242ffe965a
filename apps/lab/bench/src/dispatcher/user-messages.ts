// Values of the records that users send through their gateways. Pure.
import type { Random } from '@flatline/base';

/** Bytes of a value, whatever it says. */
export const MESSAGE_BYTES = 500;
export const GATEWAYS = 20;
/** Its users are the ones that a lost gateway takes along. */
export const LOST_GATEWAY = 'g0';

/** One login of a user: the newest in the log is the one that counts. */
export interface Login {
  /** From 0 for each user. */
  readonly number: number;
  readonly gateway: string;
}

/** A message of a login; 0 is the login itself. */
export interface Sent {
  readonly login: number;
  readonly sequence: number;
}

export function firstGatewayOf(user: number): string {
  return `g${user % GATEWAYS}`;
}

/** Another gateway than that, and never the one that gets lost. */
export function nextGateway(gateway: string, random: Random): string {
  const number = Number(gateway.slice(1));
  const step = number === 0 ? 1 + random.below(GATEWAYS - 1) : 1 + random.below(GATEWAYS - 2);
  return number === 0 ? `g${step}` : `g${1 + ((number - 1 + step) % (GATEWAYS - 1))}`;
}

/** Each login numbers its messages under a source of its own (S5), so that no former one's are taken for duplicates. */
export function loginValue({ number, gateway }: Login): Buffer {
  const attributes = { gateway, channel: number % 2 === 0 ? 'web' : 'app', login: String(number) };
  return padded({ type: 'LOGIN', source: `l${number}`, sequence: 0, attributes });
}

export function messageValue({ login, sequence }: Sent): Buffer {
  return padded({ type: 'MESSAGE', source: `l${login}`, sequence });
}

function padded(event: object): Buffer {
  const bare = JSON.stringify({ ...event, text: '' });
  return Buffer.from(JSON.stringify({ ...event, text: 'x'.repeat(MESSAGE_BYTES - bare.length) }));
}
