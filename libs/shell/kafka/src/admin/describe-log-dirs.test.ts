import { describe, expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { ProtocolWriter } from '../connection/protocol-bytes.ts';
import { decodeDescribeLogDirs } from './describe-log-dirs.ts';

interface Directory {
  readonly code: number;
  readonly logs: readonly number[];
}

function answer(directories: readonly Directory[]): Buffer {
  const writer = new ProtocolWriter().int32(0);
  writer.array(directories, ({ code, logs }) => {
    writer.int16(code).string('/data');
    writer.array(['visits'], (topic) => {
      writer.string(topic).array(logs, (bytes) => writer.int32(0).int64(bytes).int64(0).bool(false));
    });
  });
  return writer.finish();
}

const sizeOf = (...directories: readonly Directory[]): number =>
  decodeDescribeLogDirs(answer(directories), 'read the size of visits-0');

describe('the size of a log', () => {
  test('is that of its larger copy while it is moved between directories', () => {
    expect(sizeOf({ code: 0, logs: [2 ** 40] }, { code: 0, logs: [7] })).toBe(2 ** 40);
  });

  test('is found beside a directory that is offline, which answers KAFKA_STORAGE_ERROR', () => {
    expect(sizeOf({ code: 56, logs: [] }, { code: 0, logs: [7] })).toBe(7);
  });

  test('is 0 where the node names no directory, as it answers without the permission', () => {
    expect(sizeOf()).toBe(0);
  });

  test('is not known where the node failed', () => {
    expect(() => sizeOf({ code: -1, logs: [] })).toThrow(Retriable);
  });
});
