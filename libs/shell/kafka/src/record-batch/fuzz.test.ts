// Damaged bytes from a leader or from other members (F14). `npm run fuzz` runs more of it.
import { describe, test } from '@jest/globals';
import { MalformedBytes, PartitionStopped } from '@flatline/base';
import { fuzz } from '@flatline/base/fuzz';
import {
  decodeLeaderStatement,
  decodeMemberStatement,
  encodeLeaderStatement,
  encodeMemberStatement,
} from '../group/user-data.ts';
import { decodeDescribeLogDirs } from '../admin/describe-log-dirs.ts';
import { decodeListGroups } from '../admin/list-groups.ts';
import { decodeCommittedTopics, decodeOffsetFetch } from '../admin/offset-fetch.ts';
import { codeOf } from '../connection/foreign-errors.ts';
import { ProtocolWriter } from '../connection/protocol-bytes.ts';
import { bare, buildBatch, type BuiltCompression, buildMarker, reseal } from './batch-builder.fixture.ts';
import { BatchCursor } from './batch-cursor.ts';
import { scanBatches } from './batch-scan.ts';

const regressions = new URL('./fuzz-regressions.txt', import.meta.url);
const header = { name: 'trace', value: Buffer.from([1, 2]) };
const records = [
  { ...bare(0, 'first'), headers: [header, { name: 'none', value: null }] },
  { ...bare(1, 'k'.repeat(90)), value: Buffer.from('{"type":"A"}') },
  { ...bare(2, ''), key: null, value: null, headers: [header] },
  ...Array.from({ length: 12 }, (_, i) => bare(3 + i, `key-${i}`)),
];
const packings: readonly BuiltCompression[] = ['none', 'gzip', 'snappy', 'xerial', 'lz4', 'zstd'];
const batches = [
  ...packings.map((compression) => buildBatch({ baseOffset: 10, records, compression })),
  Buffer.concat([
    buildBatch({ baseOffset: 10, records, producerId: 5, transactional: true }),
    buildMarker(30, 5, 'abort'),
    buildBatch({ baseOffset: 31, records, logAppendTime: true }),
  ]),
];
const aborted = [{ producerId: 5, firstOffset: 10 }];
const source = { topic: 'visits', partition: 3 };
const RECORDS_AT = 61;

/** Bytes that are shown lie within the buffer shown with them. */
function checkRange(cursor: BatchCursor, start: number, length: number, what: string): void {
  if (length >= 0 && (start < 0 || start + length > cursor.bytes.length))
    throw new Error(`${what} from ${start}, ${length} long, in ${cursor.bytes.length} bytes`);
}

function walk(bytes: Buffer): void {
  const { end, nextOffset } = scanBatches(bytes, 0, bytes.length, 0);
  const cursor = new BatchCursor({ source, bytes, start: 0, end, askedOffset: 0, nextOffset, aborted });
  while (cursor.next()) {
    checkRange(cursor, cursor.keyStart, cursor.keyLength, 'key');
    checkRange(cursor, cursor.valueStart, cursor.valueLength, 'value');
    cursor.headers();
  }
}

/** As a leader with a damaged disk would send it, or, resealed, a producer that writes batches of its own making. */
function feedBatch(bytes: Uint8Array): void {
  const damaged = Buffer.from(bytes);
  for (const batch of damaged.length < RECORDS_AT ? [damaged] : [damaged, resized(damaged)]) {
    try {
      walk(batch);
    } catch (error) {
      if (!(error instanceof PartitionStopped) && !(error instanceof MalformedBytes)) throw error;
    }
  }
}

/** One batch with a length and a checksum that are right. */
function resized(batch: Buffer): Buffer {
  const copy = Buffer.from(batch);
  copy.writeInt32BE(copy.length - 12, 8);
  copy[16] = 2;
  return reseal(copy);
}

describe('[F14] damaged bytes of others', () => {
  test('[F14][X6] batches are read or refused, what is shown lies within them, and they unpack to a bound', () => {
    fuzz({ name: 'kafka/batch', corpus: batches, regressions, feed: feedBatch }, 20_000);
  });

  test('[F14] what other members of the group say', () => {
    const instances = [{ endpoint: 'http://a:1', name: 'a', partitions: [1, 2], standbys: [3] }];
    const checkpoints = [{ partition: 1, changelogPosition: 2 ** 40 }];
    const member = { generation: 3, endpoint: 'http://a:1', name: 'a', rack: 'east' };
    const corpus = [
      encodeMemberStatement({ ...member, owned: [1, 2, 300], checkpoints }),
      encodeLeaderStatement({ partitionCount: 8, standbys: [1], instances }),
    ];
    const feed = (bytes: Uint8Array): void => {
      decodeMemberStatement(bytes);
      decodeLeaderStatement(bytes);
    };
    fuzz({ name: 'kafka/group', corpus, regressions, feed }, 5_000);
  });

  test('[F14] what brokers say of logs and groups', () => {
    const logs = new ProtocolWriter().int32(0);
    logs.array(['/a', '/b'], (directory) => {
      logs.int16(0).string(directory);
      logs.array(['visits', 'logs'], (topic) => {
        logs.string(topic).array([0, 1], (partition) =>
          logs
            .int32(partition)
            .int64(2 ** 40)
            .int64(0)
            .bool(false),
        );
      });
    });
    const groups = new ProtocolWriter().int32(0).int16(0);
    groups.array(['audit', 'shop.visits'], (group) => groups.string(group).string('consumer'));
    const offsets = new ProtocolWriter().int32(0);
    offsets.array(['visits', 'logs'], (topic) => {
      offsets.string(topic).array([0, 1], (partition) => {
        offsets.int32(partition).int64(17).int32(3).string('run-1').int16(0);
      });
    });
    const corpus = [logs.finish(), groups.finish(), offsets.int16(0).finish()];
    const feed = (bytes: Uint8Array): void => {
      for (const decode of [decodeDescribeLogDirs, decodeListGroups, decodeOffsetFetch, decodeCommittedTopics])
        try {
          decode(Buffer.from(bytes), 'ask');
        } catch (error) {
          // An error code that the damage made is a refusal, too.
          if (!(error instanceof MalformedBytes) && codeOf(error) === undefined) throw error;
        }
    };
    fuzz({ name: 'kafka/admin', corpus, regressions, feed }, 5_000);
  });
});
