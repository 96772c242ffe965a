import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ReusedMemory } from '@flatline/base';
import type { SocketFactoryInput } from 'kafkajs/src/network/connection.js';
import { FrameAssembler } from './frame-assembler.ts';

/** Idle time after which the kernel asks whether the peer is still there. */
const KEEP_ALIVE_MS = 10_000;
/** Read at a time, of any connection: it is emptied before the next read. Node alone would allocate 64 KiB for each. */
const READ_BYTES = 256 * 1024;

let readInto: Buffer | undefined;

/**
 * As kafkajs' own, without Nagle's delay: requests are pipelined, and each is written whole. Without TLS it emits `data` once
 * for each answer: kafkajs would collect the pieces and copy all of them into another buffer once more.
 */
export function openSocket(
  { host, port, ssl, onConnect }: SocketFactoryInput,
  memory?: ReusedMemory,
): Socket | TLSSocket {
  const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
  if (ssl !== null)
    return connectTls({ ...options, ...(isIP(host) === 0 ? { servername: host } : {}), ...ssl }, onConnect);
  const frames = new FrameAssembler((frame) => socket.emit('data', frame), memory);
  readInto ??= Buffer.allocUnsafeSlow(READ_BYTES);
  const callback = (length: number, bytes: Uint8Array): boolean => {
    try {
      frames.push(bytes.subarray(0, length));
      return true;
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  };
  const socket: Socket = connect({ ...options, onread: { buffer: readInto, callback } }, onConnect);
  return socket;
}
