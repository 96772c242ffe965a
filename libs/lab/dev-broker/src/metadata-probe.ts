// Asks a broker for the cluster's metadata, and wakes its coordinators: two requests, no client library.
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const ANSWER_BYTES_MAX = 1 << 20;
const ANSWER_WITHIN_MS = 2000;
const RETRY_MS = 25;

const metadataRequest = { key: 3, version: 1 };
const findCoordinatorRequest = { key: 10, version: 1 };

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ListedBroker extends Address {
  readonly id: number;
}

/** The cluster's brokers, at the addresses that it gives to clients; undefined while nothing answers. */
export async function askBrokers(address: Address): Promise<readonly ListedBroker[] | undefined> {
  const noTopics = Buffer.alloc(4);
  const answer = await exchange(address, frame(metadataRequest, noTopics));
  if (answer === undefined) return undefined;
  try {
    return parseBrokers(answer);
  } catch {
    return undefined; // cut short or no Kafka at all
  }
}

/** The brokers in a Metadata v1 answer: [correlation id, [node id, host, port, rack]…], by id. Throws `RangeError` if cut short. */
export function parseBrokers(answer: Buffer): ListedBroker[] {
  const brokers: ListedBroker[] = [];
  let at = 8;
  for (let left = answer.readInt32BE(4); left > 0; left -= 1) {
    const afterHost = afterString(answer, at + 4);
    const host = answer.toString('utf8', at + 6, afterHost);
    brokers.push({ id: answer.readInt32BE(at), host, port: answer.readInt32BE(afterHost) });
    at = afterString(answer, afterHost + 4); // rack
  }
  return brokers.sort((a, b) => a.id - b.id);
}

/**
 * Makes the cluster create its offsets and transaction topics, which it otherwise does on the first client's request,
 * answering "not available" meanwhile. Ignores the answer.
 */
export async function wakeCoordinators(address: Address): Promise<void> {
  const name = shortString('flatline-warm-up');
  for (const kind of [0, 1]) await exchange(address, frame(findCoordinatorRequest, name, Buffer.from([kind])));
}

/**
 * Resolves when every address answers and lists exactly these addresses: clients given others would go astray.
 * `mayHope` is called between attempts and throws to give up.
 */
export async function brokersReady(addresses: readonly Address[], mayHope: () => void): Promise<void> {
  for (const address of addresses)
    while (!sameAddresses(await askBrokers(address), addresses)) {
      mayHope();
      await delay(RETRY_MS);
    }
}

function sameAddresses(listed: readonly Address[] | undefined, wanted: readonly Address[]): boolean {
  return (
    listed?.length === wanted.length &&
    wanted.every(({ host, port }) => listed.some((each) => each.host === host && each.port === port))
  );
}

function frame(request: { key: number; version: number }, ...body: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt16BE(request.key, 0);
  head.writeInt16BE(request.version, 2);
  head.writeInt32BE(1, 4); // correlation id
  const payload = Buffer.concat([head, shortString('flatline'), ...body]);
  const size = Buffer.alloc(4);
  size.writeInt32BE(payload.length);
  return Buffer.concat([size, payload]);
}

function shortString(text: string): Buffer {
  const bytes = Buffer.from(text);
  const size = Buffer.alloc(2);
  size.writeInt16BE(bytes.length);
  return Buffer.concat([size, bytes]);
}

/** Position after a string with a two-byte length; -1 is null. */
function afterString(bytes: Buffer, at: number): number {
  return at + 2 + Math.max(0, bytes.readInt16BE(at));
}

/** One request, one answer without its size; undefined if the peer refuses, hangs up, is silent or speaks another protocol. */
function exchange({ host, port }: Address, request: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_WITHIN_MS });
    let received = Buffer.alloc(0);
    const end = (answer?: Buffer): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4) return;
      const size = received.readInt32BE(0);
      if (size < 0 || size > ANSWER_BYTES_MAX) end();
      else if (received.length >= 4 + size) end(received.subarray(4, 4 + size));
    });
    for (const failure of ['error', 'timeout', 'close'])
      socket.on(failure, () => {
        end();
      });
  });
}
