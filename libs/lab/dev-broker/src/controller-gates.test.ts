import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { ControllerGates } from './controller-gates.ts';
import { LOOPBACK } from './ports.ts';

/** Echo servers in place of the controllers of nodes 1 and 2. */
let controllers: Server[];
let gates: ControllerGates;
const clients: Socket[] = [];

beforeEach(async () => {
  controllers = [1, 2].map(() => createServer((socket) => socket.on('error', () => undefined).pipe(socket)));
  const ports: number[] = [];
  for (const controller of controllers) {
    controller.listen(0, LOOPBACK);
    await once(controller, 'listening');
    const address = controller.address();
    if (address !== null && typeof address === 'object') ports.push(address.port);
  }
  gates = await ControllerGates.open(ports);
});

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  gates.close();
  for (const controller of controllers) controller.close();
});

/** Sends the beginning of Kafka's first request: the node's own name. */
function say(clientId: string, to: number): Socket {
  const socket = connect(gates.ports[to - 1]!, LOOPBACK).on('error', () => undefined);
  clients.push(socket);
  const head = Buffer.alloc(14);
  head.writeInt16BE(clientId.length, 12);
  socket.write(Buffer.concat([head, Buffer.from(clientId)]));
  return socket;
}

async function isHeard(socket: Socket): Promise<boolean> {
  return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
}

describe('controller gates', () => {
  test('let everything pass that no isolated node says or is told', async () => {
    for (const [who, to] of [
      ['raft-client-1', 2],
      ['2', 1],
      ['1', 1],
      ['somebody', 1],
    ] as const)
      expect(await isHeard(say(who, to))).toBe(true);
  });

  test('part an isolated node from the controllers of others, and theirs from its own; itself it hears', async () => {
    const before = say('raft-client-1', 2);
    const own = say('1', 1);
    expect(await isHeard(before)).toBe(true);
    expect(await isHeard(own)).toBe(true);
    const parted = once(before, 'close');
    gates.isolate(1);
    await parted;
    expect(await isHeard(say('1', 2))).toBe(false);
    expect(await isHeard(say('raft-client-2', 1))).toBe(false);
    expect(await isHeard(say('1', 1))).toBe(true);
    expect(await isHeard(say('2', 2))).toBe(true);
    expect(own.destroyed).toBe(false);
    gates.rejoin(1);
    expect(await isHeard(say('1', 2))).toBe(true);
  });
});
