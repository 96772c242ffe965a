// Takes changelog blocks apart and puts them together again, so that a history can be made wrong in one place.
import { ByteWriter } from '@flatline/base';
import { readBlock } from '@flatline/oracle';
import { type BlockOperation, BlockReader } from '@flatline/oracle/anatomy';

/** All fields of a header, so that a change leaves the others alone. */
export interface EditableHeader {
  logId: string;
  owner: string;
  commitId: string;
  sequence: number;
  previousCommitId: string;
  part: number;
  parts: number;
  inputPartitions: number;
  position: number;
  checksum: number;
  leaderEpoch: number;
  batchTimestamp: number;
  live: number;
  clock: number;
  heldMs: number;
  floor: number;
  liveEntries: number;
  digest: number;
  liveBytes: number;
  logBytes: number;
}

export interface EditableBlock {
  readonly header: EditableHeader;
  operations: BlockOperation[];
}

/** undefined for a claim. */
export function takeApart(value: Uint8Array): EditableBlock | undefined {
  const block = readBlock(value);
  if (block.kind === 'claim') return undefined;
  return { header: readHeader(value), operations: [...block.operations] };
}

function readHeader(value: Uint8Array): EditableHeader {
  const bytes = new BlockReader(value);
  bytes.bytes(3);
  const chain = {
    logId: bytes.text(),
    owner: bytes.text(),
    commitId: bytes.text(),
    sequence: bytes.varint(),
    previousCommitId: bytes.text(),
    part: bytes.varint(),
    parts: bytes.varint(),
    inputPartitions: bytes.varint(),
  };
  bytes.varint();
  const input = {
    position: bytes.varint(),
    checksum: bytes.u32(),
    leaderEpoch: bytes.signed(),
    batchTimestamp: bytes.signed(),
    live: bytes.byte(),
  };
  return {
    ...chain,
    ...input,
    clock: bytes.varint(),
    heldMs: bytes.varint(),
    floor: bytes.varint(),
    liveEntries: bytes.varint(),
    digest: bytes.u32(),
    liveBytes: bytes.varint(),
    logBytes: bytes.varint(),
  };
}

export function putTogether({ header, operations }: EditableBlock): Uint8Array {
  const out = new ByteWriter();
  for (const byte of [0x46, 2, 1]) out.u8(byte);
  for (const text of [header.logId, header.owner, header.commitId]) out.text(text);
  out.varint(header.sequence);
  out.text(header.previousCommitId);
  for (const number of [header.part, header.parts, header.inputPartitions, 1, header.position]) out.varint(number);
  out.u32(header.checksum);
  out.signedVarint(header.leaderEpoch);
  out.signedVarint(header.batchTimestamp);
  out.u8(header.live);
  for (const number of [header.clock, header.heldMs, header.floor, header.liveEntries]) out.varint(number);
  out.u32(header.digest);
  out.varint(header.liveBytes);
  out.varint(header.logBytes);
  let slot = 0;
  for (const operation of operations) {
    putOperation(out, operation, (operation.slot - slot + SLOTS) % SLOTS);
    ({ slot } = operation);
  }
  return out.copy();
}

const SLOTS = 2 ** 25;
const KINDS = { remove: 0, bind: 1, page: 2, append: 3, touch: 4, rebind: 14, based: 15 } as const;

function putOperation(out: ByteWriter, operation: BlockOperation, distance: number): void {
  out.varint(distance * 16 + KINDS[operation.kind]);
  if (operation.kind === 'rebind') out.varint(operation.pages);
  if (operation.kind === 'bind' || operation.kind === 'rebind')
    for (const bytes of [operation.key, operation.head]) sized(out, bytes);
  else if (operation.kind === 'based') out.varint(operation.base);
  else if (operation.kind === 'touch') sized(out, operation.touch);
  else if (operation.kind !== 'remove') {
    out.varint(operation.page);
    if (operation.kind === 'append') out.varint(operation.at);
    sized(out, operation.bytes);
  }
}

function sized(out: ByteWriter, bytes: Uint8Array): void {
  out.varint(bytes.length);
  for (const byte of bytes) out.u8(byte);
}
