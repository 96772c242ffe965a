// The requests that faults are aimed at, and the parts of frames that the proxy reads.
export const apiKeys = {
  Produce: 0,
  Fetch: 1,
  Metadata: 3,
  FindCoordinator: 10,
  Heartbeat: 12,
  InitProducerId: 22,
  AddPartitionsToTxn: 24,
  AddOffsetsToTxn: 25,
  EndTxn: 26,
  TxnOffsetCommit: 28,
} as const;

export type Api = keyof typeof apiKeys;

export interface RequestHead {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly correlationId: number;
}

/** @param frame whole, size included */
export function requestHead(frame: Buffer): RequestHead {
  return { apiKey: frame.readInt16BE(4), apiVersion: frame.readInt16BE(6), correlationId: frame.readInt32BE(8) };
}

export function correlationIdOf(answer: Buffer): number {
  return answer.readInt32BE(4);
}

/** True if a Produce of v3–v8 belongs to a transaction: head, client id, then the transactional id or −1. */
export function isTransactional(produce: Buffer): boolean {
  return produce.readInt16BE(14 + Math.max(0, produce.readInt16BE(12))) >= 0;
}

/** @param answer to EndTxn v0–v2: size, correlation id, throttle time, error code */
export function endTxnError(answer: Buffer): number {
  return answer.readInt16BE(12);
}

/**
 * Replaces brokers' ports by others, in place: an address keeps its length. Only Metadata and FindCoordinator answer
 * with addresses, here in the versions that libs/shell/kafka asks for. @throws Error for others: a client would bypass the proxy
 */
export function redirect(answer: Buffer, { apiKey, apiVersion }: RequestHead, portOf: (port: number) => number): void {
  if (apiKey === apiKeys.FindCoordinator) {
    if (apiVersion < 1 || apiVersion > 2) throw new Error(`FindCoordinator v${apiVersion} is not understood`);
    redirectCoordinator(answer, portOf);
  } else if (apiKey === apiKeys.Metadata) {
    if (apiVersion < 9 || apiVersion > 12) throw new Error(`Metadata v${apiVersion} is not understood`);
    redirectNodes(answer, portOf);
  }
}

/** Throttle time, error code, message, node id, host, port. */
function redirectCoordinator(answer: Buffer, portOf: (port: number) => number): void {
  let at = 8 + 4 + 2;
  at += 2 + Math.max(0, answer.readInt16BE(at)) + 4;
  at += 2 + answer.readInt16BE(at);
  const port = answer.readInt32BE(at);
  // No coordinator at the moment: the port is −1.
  if (port > 0) answer.writeInt32BE(portOf(port), at);
}

/** A flexible header (tags), throttle time, then nodes: id, compact host, port, compact nullable rack, tags. */
function redirectNodes(answer: Buffer, portOf: (port: number) => number): void {
  let at = 8;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = answer.readUInt8(at);
      at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const noTags = (): void => {
    if (varint() !== 0) throw new Error('tags in an answer that had none');
  };
  const skip = (length: number): void => {
    at += length;
  };
  noTags();
  at += 4;
  for (let left = varint() - 1; left > 0; left -= 1) {
    at += 4;
    skip(varint() - 1);
    answer.writeInt32BE(portOf(answer.readInt32BE(at)), at);
    at += 4;
    skip(Math.max(0, varint() - 1));
    noTags();
  }
}
