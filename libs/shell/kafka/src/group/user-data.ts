// Statements of members to the leader, and of the leader to members, in the user data of the consumer protocol.
//
// Both formats begin with a version. A reader ignores what follows the fields it knows, so fields may be appended without
// a new version; a version it does not know is read as an empty statement, which costs movement of partitions and no more.
import { ByteReader, ByteWriter, MalformedBytes } from '@flatline/base';
import type { InstancePartitions, LocalCheckpoint } from '@flatline/ports';

const VERSION = 1;

/** Statement of a member that joins. */
export interface MemberStatement {
  /** Generation of the assignment `owned` comes from; −1: none yet. */
  readonly generation: number;
  readonly owned: readonly number[];
  readonly checkpoints: readonly LocalCheckpoint[];
  /** Where other instances reach this one over HTTP; empty where they cannot. */
  readonly endpoint: string;
  /** Human-readable name of the instance; empty where a member does not say. */
  readonly name: string;
  /** The site or zone that the instance is lost with; empty where a member does not say. */
  readonly rack: string;
}

/** Statement of the leader to a member, besides its partitions. */
export interface LeaderStatement {
  /** Partitions of each input topic, as the leader saw it. */
  readonly partitionCount: number;
  readonly standbys: readonly number[];
  readonly instances: readonly InstancePartitions[];
}

export const NOTHING_SAID: MemberStatement = {
  generation: -1,
  owned: [],
  checkpoints: [],
  endpoint: '',
  name: '',
  rack: '',
};

export function encodeMemberStatement(said: MemberStatement): Uint8Array {
  const { generation, owned, checkpoints, endpoint, name, rack } = said;
  const writer = new ByteWriter();
  writer.u8(VERSION);
  writer.signedVarint(generation);
  writeNumbers(writer, owned);
  writer.varint(checkpoints.length);
  for (const { partition, changelogPosition } of checkpoints) {
    writer.varint(partition);
    writer.varint(changelogPosition);
  }
  writer.text(endpoint);
  writer.text(name);
  writer.text(rack);
  return writer.copy();
}

/** Never throws: another member's bytes must not stop the leader. */
export function decodeMemberStatement(bytes: Uint8Array | null): MemberStatement {
  return decode(bytes, NOTHING_SAID, (reader) => ({
    generation: reader.signedVarint(),
    owned: readNumbers(reader),
    checkpoints: readMany(reader, () => ({ partition: reader.varint(), changelogPosition: reader.varint() })),
    endpoint: reader.text(),
    name: appended(reader),
    rack: appended(reader),
  }));
}

export function encodeLeaderStatement({ partitionCount, standbys, instances }: LeaderStatement): Uint8Array {
  const writer = new ByteWriter();
  writer.u8(VERSION);
  writer.varint(partitionCount);
  writeNumbers(writer, standbys);
  writer.varint(instances.length);
  for (const instance of instances) {
    writer.text(instance.endpoint);
    writeNumbers(writer, instance.partitions);
    writeNumbers(writer, instance.standbys);
  }
  for (const { name } of instances) writer.text(name);
  return writer.copy();
}

/** undefined where the leader's format is not known here. */
export function decodeLeaderStatement(bytes: Uint8Array | null): LeaderStatement | undefined {
  return decode<LeaderStatement | undefined>(bytes, undefined, (reader) => {
    const partitionCount = reader.varint();
    const standbys = readNumbers(reader);
    const instances = readMany(reader, () => ({
      endpoint: reader.text(),
      partitions: readNumbers(reader),
      standbys: readNumbers(reader),
    }));
    return { partitionCount, standbys, instances: instances.map((each) => ({ ...each, name: appended(reader) })) };
  });
}

function decode<T>(bytes: Uint8Array | null, otherwise: T, read: (reader: ByteReader) => T): T {
  if (bytes === null) return otherwise;
  const reader = new ByteReader(bytes);
  try {
    return reader.u8() === VERSION ? read(reader) : otherwise;
  } catch (error) {
    if (error instanceof MalformedBytes) return otherwise;
    throw error;
  }
}

/** A text that a member of an earlier version does not send. */
function appended(reader: ByteReader): string {
  return reader.remaining > 0 ? reader.text() : '';
}

function writeNumbers(writer: ByteWriter, numbers: readonly number[]): void {
  writer.varint(numbers.length);
  for (const number of numbers) writer.varint(number);
}

function readNumbers(reader: ByteReader): number[] {
  return readMany(reader, () => reader.varint());
}

function readMany<T>(reader: ByteReader, read: () => T): T[] {
  const items: T[] = [];
  for (let left = reader.varint(); left > 0; left -= 1) items.push(read());
  return items;
}
